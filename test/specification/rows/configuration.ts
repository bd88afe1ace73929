import type { SpecificationRow } from "../row.ts";

const mcpRule = "rules of mcpProvider > ";

export const configurationRows: readonly SpecificationRow[] = [
  {
    id: "configuration.version",
    statement: "The document carries a version.",
    shown: "once",
    tests: ["mistakes > the version is required", "YAML > the version keeps its spelling"],
  },
  {
    id: "configuration.environment",
    statement: "{{ env.VAR }} is replaced by an environment variable.",
    shown: "once",
    tests: [
      "placeholders > text, numbers and booleans are filled where the document wants them",
      "placeholders > a value never adds structure",
    ],
  },
  {
    id: "configuration.secrets",
    statement: "<namespace.key> is fetched from the secret provider, which the YAML document cannot name.",
    shown: "once",
    tests: ["placeholders > unset variables and missing secrets are reported together"],
  },
  {
    id: "configuration.mistakes",
    statement: "Invalid YAML and missing required fields are startup failures with their cause.",
    shown: "once",
    tests: [
      "mistakes > ten mistakes are reported at once",
      "is refused with a position",
      "tells the cause when > the YAML is invalid",
      "tells the cause when > the required version is missing",
      "tells the cause when > a required field is missing",
    ],
  },
  {
    id: "configuration.unsupported",
    statement: "What this version does not serve is refused and not ignored.",
    shown: "once",
    tests: ["is refused as not supported instead of being ignored", "outbound token exchange is refused"],
  },
  {
    id: "configuration.defaults",
    statement: "Keys that are left out have the documented defaults.",
    shown: "once",
    tests: [
      "defaults > the smallest document serves health on port 8080 of this machine",
      "defaults > the gateway's defaults",
    ],
  },
  {
    id: "configuration.session-timeout",
    statement: "The session timeout has to be positive when sessions are enabled.",
    shown: "once",
    tests: [`${mcpRule}session.timeout must be positive when sessions are on`],
  },
  {
    id: "configuration.sse-keep-alive",
    statement: "The keep-alive interval has to be positive when enabled.",
    shown: "once",
    tests: [`${mcpRule}keepAlive.interval must be positive when on`],
  },
  {
    id: "configuration.refresh-interval",
    statement: "The refresh interval of an authorization server's metadata has to be positive.",
    shown: "once",
    tests: [`${mcpRule}refreshInterval must be positive`],
  },
  {
    id: "configuration.server-required",
    statement: "Each authorization server needs its discovery endpoint and at least one expected audience.",
    shown: "once",
    tests: [`${mcpRule}wellKnownEndpoint is required`, "ten mistakes are reported at once"],
  },
  {
    id: "configuration.introspection-required",
    statement: "introspection and auto need client id, client secret and a positive timeout.",
    shown: "once",
    tests: ["introspection", "auto"].flatMap((method) => [
      `${mcpRule}clientID is required with ${method}`,
      `${mcpRule}clientSecret is required with ${method}`,
      `${mcpRule}timeout is required with ${method}`,
      `${mcpRule}timeout must be positive with ${method}`,
    ]),
  },
];
