import type { Administrator } from "../../../lib/api-clients/client-event.ts";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { createOrganizationOf } from "../../../lib/gateway/organization.ts";
import { representAppPins, representHeldTool } from "../../../lib/management/representations/pins.ts";
import {
  approveTool,
  forgetPins,
  heldTool,
  listPins,
  type PinDecisionPorts,
  refuseTool,
} from "../../../lib/pins/decide-pins.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { administerExisting, required } from "./administer.ts";
import { STORE_FLAGS } from "./embedded-store.ts";
import { jsonLine, LISTING_FLAGS, listed } from "./listed.ts";

type Action = (args: readonly string[], io: CommandIo) => Promise<object | string>;

const ACTIONS: Readonly<Record<string, Action>> = {
  list,
  show,
  approve: (args, io) => onHeld(args, io, approveTool),
  refuse: (args, io) => onHeld(args, io, refuseTool),
  forget: forgetAction,
};

/**
 * `countersign pins list|show|approve|refuse|forget`: tools that are held until somebody approves them, of the first organization in the
 * embedded store of this machine. Prints one JSON object.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const [name = "", ...rest] = args;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(`countersign pins needs one of ${Object.keys(ACTIONS).join(", ")} first.`);
  const done = await action(rest, io);
  io.stdout(typeof done === "string" ? done : jsonLine(done));
  return 0;
}

/** `[-app NAME]` */
async function list(args: readonly string[], io: CommandIo): Promise<string> {
  const flags = parseFlags(args, { ...STORE_FLAGS, ...LISTING_FLAGS, app: "string" });
  return administerExisting(flags, io, async (dependencies, { organizationId }) => {
    const found = await listPins(portsOf(dependencies), organizationId);
    const chosen = found.filter(({ app }) => flags.app === undefined || app.name === flags.app);
    const items = chosen.map(representAppPins);
    return listed({ items }, items, ["app", "first", "firstAt", "tools", "held"], flags, io);
  });
}

/** `-app NAME -digest DIGEST` */
async function show(args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, app: "string", digest: "string" });
  const [app, digest] = [required(flags.app, "app NAME"), required(flags.digest, "digest DIGEST")];
  return administerExisting(flags, io, async (dependencies, { organizationId }) =>
    representHeldTool(await heldTool(portsOf(dependencies), organizationId, app, digest)),
  );
}

/** `-app NAME -digest DIGEST` */
async function onHeld(args: readonly string[], io: CommandIo, decide: typeof approveTool): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, app: "string", digest: "string" });
  const [app, digest] = [required(flags.app, "app NAME"), required(flags.digest, "digest DIGEST")];
  return administerExisting(flags, io, async (dependencies, operator: Administrator) =>
    representAppPins(await decide(portsOf(dependencies), operator, app, { digest })),
  );
}

/** `-app NAME [-tool NAME]` */
async function forgetAction(args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, app: "string", tool: "string" });
  const app = required(flags.app, "app NAME");
  const meant = flags.tool === undefined ? {} : { tool: flags.tool };
  return administerExisting(flags, io, async (dependencies, operator) =>
    representAppPins(await forgetPins(portsOf(dependencies), operator, app, meant)),
  );
}

function portsOf(dependencies: Dependencies): PinDecisionPorts {
  return { ...dependencies, organizationOf: createOrganizationOf(dependencies) };
}
