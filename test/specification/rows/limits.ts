import type { SpecificationRow } from "../row.ts";

const rule = "rules of mcpProvider > ";

/** The specification's table of limits; those of clients and assertions have the ids of their own sections. */
export const limitRows: readonly SpecificationRow[] = [
  limit("session-timeout", "The session timeout is an hour by default, and positive when sessions are enabled.", [
    "the key mcpProvider.transports.stream.session.timeout > has the default of the specification",
    `${rule}session.timeout must be positive when sessions are on`,
    `${rule}rules for what is off do not apply`,
  ]),
  limit("sse-keep-alive", "The keep-alive interval has to be positive when enabled.", [
    `${rule}keepAlive.interval must be positive when on`,
    `${rule}rules for what is off do not apply`,
  ]),
  limit("refresh-interval", "The refresh interval of an authorization server's metadata has to be positive.", [
    `${rule}refreshInterval must be positive`,
  ]),
  limit(
    "introspection-timeout",
    "The introspection timeout is required with introspection and auto, and positive.",
    ["introspection", "auto"].flatMap((method) => [
      `${rule}timeout is required with ${method}`,
      `${rule}timeout must be positive with ${method}`,
    ]),
  ),
  limit("heartbeat-interval", "The heartbeat beats every 60 s by default.", [
    "the heartbeat beats every minute at info unless the document says otherwise",
    "the heartbeat interval must be positive and one that a timer can wait for",
  ]),
  limit("otlp-milliseconds", "The timeout of exports and the interval of collections are milliseconds.", [
    "telemetry > timeout is a number",
    "telemetry > interval is whole",
    "telemetry > every key is taken from the document, and placeholders with their types",
  ]),
  limit("expected-audiences", "There is at least one expected audience.", [
    `${rule}expectedAudiences holds one at least`,
  ]),
  limit("durations", "Durations carry their unit.", [
    "30s is 30000 milliseconds",
    "1h30m is 5400000 milliseconds",
    "30 is no duration",
  ]),
];

function limit(name: string, statement: string, tests: readonly string[]): SpecificationRow {
  return { id: `limits.${name}`, statement, shown: "once", tests };
}
