import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openNodeDependencies } from "../../infra/node/dependencies.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { CONSOLE, NO_REGISTRATION, PROCESS } from "../support/configuration.ts";

/** The embedded product on a store of its own, with a clock that tests move. */
export interface TestInstance {
  readonly dependencies: Dependencies;
  advance(milliseconds: number): void;
  /** Every log line so far. */
  readonly lines: readonly string[];
  close(): void;
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export function openTestInstance(change: Partial<Configuration> = {}): TestInstance {
  const path = mkdtempSync(join(tmpdir(), "countersign-"));
  const lines: string[] = [];
  const configuration = { ...BASE, store: { path }, ...change };
  const opened = openNodeDependencies(configuration, { write: (line) => lines.push(line) });
  let ahead = 0;
  return {
    dependencies: { ...opened.dependencies, clock: { now: () => Date.now() + ahead } },
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
    lines,
    close: () => {
      opened.close();
      rmSync(path, { recursive: true });
    },
  };
}

const ISSUER = "http://localhost:8080";

const BASE: Configuration = {
  ...PROCESS,
  publicURL: ISSUER,
  store: { path: "" },
  ...{ auditWebRequests: "denied", oauthConnectors: [], signals: [], webhooks: [], vaultKeys: [] },
  oidcProvider: {
    issuer: ISSUER,
    region: "us",
    endpoints: {
      wellKnown: `${ISSUER}/.well-known/openid-configuration`,
      authorize: `${ISSUER}/oauth2/authorize`,
      jwks: `${ISSUER}/oauth2/jwks`,
      token: `${ISSUER}/oauth2/token`,
      introspect: `${ISSUER}/oauth2/introspect`,
      revoke: `${ISSUER}/oauth2/revoke`,
      userinfo: `${ISSUER}/oauth2/userinfo`,
      registration: `${ISSUER}/oauth2/register`,
      callback: `${ISSUER}/oauth2/callback`,
      endSession: `${ISSUER}/oauth2/logout`,
    },
    assertion: { audience: "any", maxLifetime: HOUR, clockSkew: 30_000 },
    apiClients: { enabled: true, accessTokenLifetime: HOUR },
    publicKeys: [],
    signingKeys: [],
    registration: NO_REGISTRATION,
    grantLifetime: 720 * HOUR,
    scopeDescriptions: {},
  },
  console: { ...CONSOLE, enabled: true, baseURL: ISSUER, setupToken: "a setup token" },
  session: { cookieName: "__Host-countersign", maxTimeout: 12 * HOUR, idleTimeout: HOUR },
  limits: [],
  apps: [],
};
