import type { Configuration, HttpConfiguration, OidcProviderConfiguration } from "../../lib/config/configuration.ts";

/** A listener of plain HTTP on loopback. */
export const LISTENER: HttpConfiguration = {
  host: "127.0.0.1",
  port: 0,
  accessLog: { disabled: false, level: "info" },
  hosts: [],
  trustedProxies: [],
  workers: 1,
};

/** What tests of other parts configure of the process: JSON lines of every level, no heartbeat. */
export const PROCESS: Pick<Configuration, "version" | "http" | "tls" | "health" | "logger" | "connectors"> = {
  version: "1",
  http: LISTENER,
  tls: {},
  health: { location: "/status", heartbeat: { disabled: true, level: "info", interval: 60_000 } },
  logger: { level: "debug", jsonOutput: true, timeFormat: "RFC3339Nano", logSessionID: false, fieldOrdering: false },
  connectors: [],
};

/** A Console where people sign in by links and passkeys; not served unless `enabled` says so. */
export const CONSOLE: Omit<Configuration["console"], "baseURL"> = {
  enabled: false,
  passkeys: true,
  connectors: [],
  regions: [],
  playground: true,
};

/** No client comes by itself. */
export const NO_REGISTRATION: OidcProviderConfiguration["registration"] = {
  dynamic: false,
  clientIDMetadata: false,
  connectors: [],
  allowedAudiences: [],
  scopes: [],
  defaultScopes: [],
  claimsMapping: {},
  accessToken: { type: "jwt", lifetime: 3_600_000 },
};
