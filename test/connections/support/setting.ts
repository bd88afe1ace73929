import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openSqlite } from "../../../infra/node/sqlite/open.ts";
import type { OAuthConnectorConfiguration } from "../../../lib/config/configuration.ts";
import type { UserTokenConfiguration } from "../../../lib/config/user-token-configuration.ts";
import { createPersonConnections, type PersonConnections } from "../../../lib/connections/connections.ts";
import { createProviderResolver } from "../../../lib/connections/discover.ts";
import type { ConnectionOutcome, ConnectionWant } from "../../../lib/connections/person-connections.ts";
import { createVault } from "../../../lib/connections/vault.ts";
import { base64url } from "../../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import type { ConnectionKey, ConnectionRecord } from "../../../lib/stores/connections.ts";
import { sqlStores } from "../../../lib/stores/sql/stores.ts";
import { indexStops, type StopIndex } from "../../../lib/stores/stop-subjects.ts";
import type { Stop } from "../../../lib/stores/stops.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import type { RequestContext } from "../../../lib/telemetry/request-context.ts";
import { inProcessConfiguration, PROVIDER } from "../../support/in-process.ts";
import { newStoreFolder } from "../../support/store-folder.ts";
import type { TokenServer } from "./token-server.ts";

export const START = Date.UTC(2027, 0, 1);
const VAULT_KEY = base64url(new Uint8Array(32).fill(7));
export const ALICE: ConnectionKey = { organizationId: "org_1", person: "user_alice", app: "tickets", agent: "" };
export const OUTBOUND: UserTokenConfiguration = {
  ...{ type: "userToken", connector: "saas", scopes: ["read"], tools: [], perAgent: false },
};
export const WANT: ConnectionWant = { ...ALICE, agent: "agent_1", outbound: OUTBOUND, scopes: ["read"] };

export interface Setting {
  readonly stores: Stores;
  /** Of the store. */
  readonly folder: string;
  readonly logs: string[];
  readonly clock: { now(): number; pass(milliseconds: number): void };
  readonly request: RequestContext;
  /** What is stopped from now on. */
  stop(stops: readonly Stop[]): void;
  /** Another process with the same store. */
  process(more?: ProcessOptions): PersonConnections;
  /** Connects Alice with a pair of the provider, whose access token lives for so many milliseconds. */
  connect(livesFor: number): Promise<{ readonly accessToken: string; readonly refreshToken: string }>;
  record(): Promise<ConnectionRecord | undefined>;
  /** The access token that the store has for her. */
  stored(): Promise<string | undefined>;
  settled(): Promise<void>;
  /** Everything that lies on the disk. */
  disk(): string;
  /** Of all audit records of her organization, in the order of the alphabet. */
  auditTypes(): Promise<readonly string[]>;
  close(): void;
}

interface ProcessOptions {
  readonly connector?: Partial<OAuthConnectorConfiguration>;
  /** How much its clock is ahead, milliseconds. */
  readonly ahead?: number;
  readonly stores?: Partial<Stores>;
}

/** @param existing folder of a store that another setting made, and removes */
export function startSetting(
  provider: Pick<TokenServer, "url" | "grant">,
  refresh = { grace: 0, timeout: 2_000 },
  existing?: string,
): Setting {
  const folder = existing ?? newStoreFolder();
  const executor = openSqlite(folder);
  let now = START;
  const clock = {
    now: () => now,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
  const stores = sqlStores(executor, clock);
  const logs: string[] = [];
  const note = (message: string, fields?: object) => void logs.push(JSON.stringify({ message, ...fields }));
  const logger: Logger = { debug: note, info: note, warn: note, error: note, with: () => logger };
  const background: Promise<unknown>[] = [];
  let [index, revision]: [StopIndex, number] = [new Map(), 0];
  const connector: OAuthConnectorConfiguration = {
    ...{ name: "saas", type: "oauth", clientID: "countersign", clientSecret: "a secret", disablePKCE: false, refresh },
    ...{ clientAuthentication: "client_secret_basic", clientMetadata: false },
    endpoints: {
      kind: "static",
      authorizationURL: `${provider.url}/authorize`,
      tokenURL: `${provider.url}/token`,
      revocationURL: `${provider.url}/revoke`,
    },
  };
  const request: RequestContext = {
    ...{ requestId: "request_1", remoteAddress: undefined, logger, authenticated: () => undefined },
    waitUntil: (work) => void background.push(work),
  };
  const vault = createVault([VAULT_KEY], PROVIDER.region, webCryptoRandom);
  const process: Setting["process"] = ({ connector: other = {}, ahead = 0, stores: others = {} } = {}) => {
    const configuration = {
      ...inProcessConfiguration,
      ...{ oauthConnectors: [{ ...connector, ...other } as OAuthConnectorConfiguration], vaultKeys: [VAULT_KEY] },
    };
    const ports = {
      ...{ random: webCryptoRandom, logger, clock: { now: () => now + ahead }, stores: { ...stores, ...others } },
      ...{ outbound: () => globalThis.fetch, publicFetch: globalThis.fetch },
      configuration: () => ({ revision: 1, configuration }),
      instanceStops: { current: () => index, revision: () => revision },
    };
    return createPersonConnections(configuration, { ...ports, resolver: createProviderResolver(configuration, ports) });
  };
  const first = process();
  return {
    ...{ stores, folder, logs, clock, request, process },
    stop: (stops) => {
      index = indexStops(stops);
      revision++;
    },
    connect: async (livesFor) => {
      const pair = provider.grant();
      const asked = { ...ALICE, agent: "agent_1", connector: "saas", perAgent: false, scopes: ["read"] };
      const given = { expiresAt: now + livesFor, scopes: ["read"], clientID: "countersign" };
      await first.complete(asked, { ...pair, ...given, tokenURL: `${provider.url}/token` }, request);
      return pair;
    },
    record: () => stores.connections.connection(ALICE),
    stored: async () => {
      const record = await stores.connections.connection(ALICE);
      return record && (await vault.open(record.sealed, ALICE))?.accessToken;
    },
    settled: async () => void (await Promise.all(background)),
    disk: () => textsIn(folder),
    auditTypes: async () => {
      const { items } = await stores.auditLog.query({ organizationId: "org_1" }, { limit: 100 });
      return items.map(({ type }) => type).toSorted();
    },
    close: () => {
      executor.close();
      if (existing === undefined) rmSync(folder, { recursive: true });
    },
  };
}

/** What a call got: `old`, `new`, or why nothing. */
export function gotOf(outcome: ConnectionOutcome, old: string): string {
  if (outcome.outcome === "obtained") return outcome.token === old ? "old" : "new";
  return outcome.outcome === "unavailable" ? `unavailable: ${outcome.reason}` : outcome.why;
}

/** All that lies there. SQLite takes its log away when another process closes the store: then it is read anew. */
function textsIn(folder: string): string {
  for (;;) {
    try {
      const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
      return texts.join("\n");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}
