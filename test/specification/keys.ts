/** One key of the configuration that the specification names. */
export interface SpecifiedKey {
  /** As the reference writes it: `[]` behind a list, `<name>` for a name that the operator chooses. */
  readonly key: string;
  /** A value that is accepted. All of them together are one document that loads. */
  readonly value: unknown;
  /** A value that is refused. */
  readonly wrong: unknown;
  /** Whether the document of all keys is refused without it. */
  readonly isRequired?: true;
  /** Where the mistake is told then, in place of the key itself. */
  readonly missingAt?: string;
  /** What holds when it is left out, where the specification says so. */
  readonly standard?: unknown;
}

const READER = "telemetry.metrics.readers[].periodic";
const PROCESSOR = "telemetry.traces.processors[].simple.exporter.otlp";
const SSE = "mcpProvider.transports.sse";
const STREAM = "mcpProvider.transports.stream";
const OAUTH = "mcpProvider.authorization.oauth";
const VALIDATION = `${OAUTH}.servers[].tokenValidation`;

/** Every key of the specification's tables, in their order. */
export const SPECIFIED_KEYS: readonly SpecifiedKey[] = [
  { key: "version", value: "1", wrong: ["1"], isRequired: true },

  { key: "health.location", value: "/up", wrong: "up", standard: "/status" },
  { key: "health.heartbeat.disabled", value: true, wrong: "often", standard: false },
  { key: "health.heartbeat.logLevel", value: "debug", wrong: "loud", standard: "info" },
  { key: "health.heartbeat.interval", value: "30s", wrong: "0s", standard: "60s" },

  { key: "logger.level", value: "warn", wrong: "loud", standard: "info" },
  { key: "logger.jsonOutput", value: true, wrong: "often", standard: false },
  { key: "logger.timeFormat", value: "RFC3339", wrong: "today", standard: "RFC3339Nano" },
  { key: "logger.logSessionID", value: true, wrong: "often", standard: false },
  { key: "logger.fieldOrdering.enabled", value: true, wrong: "often", standard: false },

  { key: "http.address", value: "127.0.0.1:9443", wrong: "nowhere" },
  { key: "http.tls", value: "main", wrong: "other" },
  { key: "http.accessLog.disabled", value: true, wrong: "often" },
  { key: "http.accessLog.level", value: "debug", wrong: "loud" },

  { key: "tls.<name>.certFile", value: "main.crt", wrong: 1, isRequired: true },
  { key: "tls.<name>.keyFile", value: "main.key", wrong: 1, isRequired: true },
  { key: "tls.<name>.minVersion", value: "1.3", wrong: "1.0" },

  { key: `${READER}.exporter.otlp.protocol`, value: "http/protobuf", wrong: "carrier pigeon" },
  {
    key: `${READER}.exporter.otlp.endpoint`,
    value: "https://collector.example/v1/metrics",
    wrong: "collector",
    isRequired: true,
  },
  { key: `${READER}.exporter.otlp.insecure`, value: true, wrong: "often" },
  { key: `${READER}.exporter.otlp.timeout`, value: 5_000, wrong: 0 },
  { key: `${READER}.interval`, value: 30_000, wrong: 0 },
  { key: `${PROCESSOR}.protocol`, value: "http/protobuf", wrong: "carrier pigeon" },
  { key: `${PROCESSOR}.endpoint`, value: "https://collector.example/v1/traces", wrong: "collector", isRequired: true },

  { key: "connectors[].name", value: "corporate", wrong: 1, isRequired: true },
  { key: "connectors[].type", value: "oidc", wrong: "telepathy", isRequired: true },
  { key: "connectors[].oauthClientID", value: "countersign", wrong: 1, isRequired: true },
  { key: "connectors[].oauthClientSecret", value: "of-the-connector", wrong: 1 },
  {
    key: "connectors[].oidcWellKnownURL",
    value: "https://corporate.example/.well-known/openid-configuration",
    wrong: "corporate.example",
    isRequired: true,
  },

  { key: "apps[].name", value: "portal", wrong: "", isRequired: true },
  { key: "apps[].type", value: "proxy", wrong: "teleport", isRequired: true },
  { key: "apps[].upstream", value: "https://portal.example", wrong: 1, isRequired: true },
  { key: "apps[].routePatterns[]", value: "/portal", wrong: 1, isRequired: true, missingAt: "apps[0].routePatterns" },
  { key: "apps[].policies[].location", value: "/", wrong: 1, isRequired: true },
  {
    key: "apps[].policies[].authentication.idps[]",
    value: "corporate",
    wrong: "nobody",
    // The document of all keys says nothing else of who is let in.
    isRequired: true,
    missingAt: "apps[0].policies[0].authentication",
  },

  { key: "mcpProvider.enabled", value: true, wrong: "often", isRequired: true },
  {
    key: "mcpProvider.serverName",
    value: "Gateway of the Test",
    wrong: "",
    standard: "Countersign AI Identity Gateway",
  },
  { key: `${SSE}.enabled`, value: true, wrong: "often" },
  { key: `${SSE}.baseURL`, value: "https://gateway.example", wrong: "gateway" },
  { key: `${SSE}.basePath`, value: "/legacy", wrong: "legacy" },
  { key: `${SSE}.path`, value: "/sse", wrong: "sse", isRequired: true },
  { key: `${SSE}.messagePath`, value: "/messages", wrong: "messages", isRequired: true },
  { key: `${SSE}.keepAlive.enabled`, value: true, wrong: "often" },
  { key: `${SSE}.keepAlive.interval`, value: "10s", wrong: "0s" },
  { key: `${STREAM}.enabled`, value: true, wrong: "often" },
  { key: `${STREAM}.path`, value: "/mcp", wrong: "mcp", isRequired: true },
  { key: `${STREAM}.session.enabled`, value: true, wrong: "often" },
  { key: `${STREAM}.session.headerName`, value: "Agent-Session", wrong: "a b", standard: "Mcp-Session-Id" },
  { key: `${STREAM}.session.allowClientTermination`, value: false, wrong: "often", standard: true },
  { key: `${STREAM}.session.timeout`, value: "2h", wrong: "0s", standard: "1h" },
  { key: `${OAUTH}.enabled`, value: true, wrong: "often", standard: false },
  { key: `${OAUTH}.metadataPath`, value: "/metadata", wrong: "metadata", isRequired: true },
  {
    key: `${OAUTH}.servers[].wellKnownEndpoint`,
    value: "https://auth.example/.well-known/openid-configuration",
    wrong: "auth.example",
    isRequired: true,
  },
  { key: `${OAUTH}.servers[].refreshInterval`, value: "1h", wrong: "0s" },
  {
    key: `${VALIDATION}.expectedAudiences`,
    value: ["https://gateway.example/mcp", "https://gateway.example/legacy/sse"],
    wrong: [],
    isRequired: true,
  },
  { key: `${VALIDATION}.method`, value: "auto", wrong: "magic" },
  { key: `${VALIDATION}.jwt.clockSkew`, value: "15s", wrong: "15" },
  { key: `${VALIDATION}.introspection.clientID`, value: "gateway", wrong: 1, isRequired: true },
  { key: `${VALIDATION}.introspection.clientSecret`, value: "of-the-gateway", wrong: 1, isRequired: true },
  { key: `${VALIDATION}.introspection.timeout`, value: "5s", wrong: "0s", isRequired: true },
  { key: `${VALIDATION}.introspection.maxRetries`, value: 3, wrong: -1 },
];
