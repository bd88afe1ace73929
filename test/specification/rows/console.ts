import { RUNTIMES } from "../results.ts";
import { deviates, type SpecificationRow } from "../row.ts";

const settings = "gateway settings > ";
const page = "the gateway's settings > ";

/** The Console, as people use it and as the management API behind it answers. */
export const consoleRows: readonly SpecificationRow[] = [
  {
    id: "console.administration",
    statement: "A web Console administers the platform: clients, keys, people, the gateway and the audit log.",
    shown: "once",
    tests: [
      "an owner who never saw the Console comes from the setup link to a token, and ends the key > with the mouse > step by step",
      "in a Worker > an owner comes from the setup link to a token, and ends the key",
      "every page of the Console > with something in it > ",
    ],
  },
  {
    id: "console.settings",
    statement:
      "Of mcpProvider's keys the Console has seven: enabled, server name, stream path, session header and timeout, client termination (on by default) and OAuth.",
    shown: "runtimes",
    tests: [
      `${settings}every setting is shown with its value`,
      `${settings}a change is used at once where it was made and soon everywhere`,
      `${settings}the gateway can be turned off, and on again`,
      `${settings}keys that belong to the YAML alone are neither shown nor taken`,
    ],
    also: [
      `${page}are the seven of the specification, and none of the keys that belong to the YAML alone`,
      `${page}are changed at once, and say where each value is from`,
    ],
  },
  {
    id: "console.yaml-only",
    statement: "SSE, keep-alive, the authorization servers and refresh intervals are of the YAML alone.",
    shown: "runtimes",
    tests: [`${settings}keys that belong to the YAML alone are neither shown nor taken`],
  },
  {
    id: "console.telemetry",
    statement: "Advanced telemetry settings in the Console, where an organization may override the configuration.",
    shown: "runtimes",
    tests: [`${settings}keys that belong to the YAML alone are neither shown nor taken`],
    deviations: deviates(
      RUNTIMES,
      "There are none: an instance serves many organizations and has one telemetry, which is of the YAML alone; nothing can be overridden.",
      [`${settings}keys that belong to the YAML alone are neither shown nor taken`],
    ),
  },
];
