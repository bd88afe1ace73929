import { rmSync } from "node:fs";
import { application } from "../../functions/routes.ts";
import { asyncLogScope } from "../../infra/log-scope.ts";
import { nodeSignatureVerifier } from "../../infra/node/crypto/signature-verifier.ts";
import { nodeSigningCrypto } from "../../infra/node/crypto/signing-crypto.ts";
import { configuredForward } from "../../infra/node/net/forward.ts";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { createApiClient } from "../../lib/api-clients/administration.ts";
import { clientIds } from "../../lib/api-clients/client-id.ts";
import { addKeyPair } from "../../lib/api-clients/key-pairs.ts";
import { createRereadBudget } from "../../lib/api-clients/reread-budget.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { createRefusalLog } from "../../lib/audit/refusals.ts";
import { createClientDocuments } from "../../lib/authorization-server/clients/client-documents.ts";
import { createKeyRing } from "../../lib/authorization-server/keys/create-key-ring.ts";
import { createRevokedSignerSearches } from "../../lib/authorization-server/refusal-records.ts";
import type { Configuration, OidcProviderConfiguration } from "../../lib/config/configuration.ts";
import { createKnownSessions } from "../../lib/directory/known-sessions.ts";
import { createFirstOwner } from "../../lib/directory/organizations.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { ALONE, createLimiter } from "../../lib/limits/create-limiter.ts";
import { lineLogger } from "../../lib/logging/line-logger.ts";
import { jsonLine } from "../../lib/logging/log-line.ts";
import { createMessageRoom, WIDE } from "../../lib/mcp/message-room.ts";
import { localSessionChannel } from "../../lib/mcp/sessions/local-channel.ts";
import { createInstanceStops, IN_PROCESS } from "../../lib/stops/instance-stops.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import { localWaitingCalls } from "../../lib/upstream/waiting/local-calls.ts";
import { CONSOLE, NO_REGISTRATION, PROCESS } from "./configuration.ts";
import { newStoreFolder } from "./store-folder.ts";

/** The product in this process with the embedded store and a clock that the test sets. */
export interface InProcess {
  readonly dependencies: Dependencies;
  /** Log lines at every level. */
  readonly logs: readonly string[];
  readonly clock: SettableClock;
  /** Where the embedded store keeps its files. */
  readonly folder: string;
  /** @param path or a whole address, of another host */
  send(path: string, init?: RequestInit, remoteAddress?: string): Promise<Response>;
  /** An API client of the first organization with one key. */
  createClient(fields?: ClientFields): Promise<TestClient>;
  /** Resolves when the work behind all answers is done. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface SettableClock {
  now(): number;
  set(milliseconds: number): void;
}

export interface ClientFields {
  readonly scopes?: readonly string[];
  readonly resources?: readonly string[];
}

export interface TestClient {
  readonly clientId: string;
  readonly organizationId: string;
  readonly keyPairId: string;
  readonly privateKeyPem: string;
}

export const ISSUER = "https://us.example";
/** Where the clock stands at first. */
export const START = Date.UTC(2027, 0, 1);

export interface InProcessOptions {
  readonly configuration?: Partial<Configuration>;
  /** Puts something between the product and its dependencies, for example a counter. */
  readonly adapt?: (dependencies: Dependencies) => Dependencies;
}

export async function startInProcess({
  configuration,
  adapt = (same) => same,
}: InProcessOptions = {}): Promise<InProcess> {
  const folder = newStoreFolder();
  const executor = openSqlite(folder);
  const clock = settableClock(START);
  const logs: string[] = [];
  const logScope = asyncLogScope();
  const snapshot = { revision: 1, configuration: { ...inProcessConfiguration, ...configuration } };
  const logger = lineLogger({
    level: "debug",
    format: jsonLine,
    write: (line) => logs.push(line),
    clock,
    soid: "test",
    scope: logScope,
  });
  const stores = sqlStores(executor, clock);
  const keySecret = webCryptoRandom.bytes(32);
  const instanceStops = createInstanceStops({ stores, clock, logger }, IN_PROCESS);
  const stateSecret = webCryptoRandom.bytes(32);
  const sessionPorts = { configuration: () => snapshot, stores, clock, instanceStops, stateSecret };
  const plain: Dependencies = {
    configuration: () => snapshot,
    stores,
    clock,
    random: webCryptoRandom,
    logger,
    logScope,
    signatures: nodeSignatureVerifier(),
    rereads: createRereadBudget(clock),
    revokedSignerSearches: createRevokedSignerSearches(clock),
    refusals: createRefusalLog({ configuration: () => snapshot, stores, clock, random: webCryptoRandom, logger }),
    instanceStops,
    knownSessions: createKnownSessions(sessionPorts, { memory: 0 }),
    messageRoom: createMessageRoom(WIDE),
    limiter: createLimiter({ stores, clock, logger }, ALONE),
    fetch: globalThis.fetch,
    outbound: () => globalThis.fetch,
    forward: configuredForward({ tls: {}, environment: {}, logger }),
    agentSuppliedFetch: globalThis.fetch,
    publicFetch: globalThis.fetch,
    clientDocuments: createClientDocuments({ agentSuppliedFetch: globalThis.fetch, clock, logger }),
    keyRing: createKeyRing({
      configuration: () => snapshot,
      clock,
      random: webCryptoRandom,
      logger,
      signingKeys: stores.signingKeys,
      crypto: nodeSigningCrypto(),
      keySecret: () => keySecret,
    }),
    clientIds: clientIds(webCryptoRandom.bytes(32)),
    sessionChannel: localSessionChannel(),
    stateSecret,
    waitingCalls: localWaitingCalls(webCryptoRandom),
  };
  const adapted = adapt(plain);
  // What a test puts before the stores sees refusals, too.
  const dependencies = { ...adapted, refusals: createRefusalLog(adapted) };
  const answer = application(dependencies);
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  const settled = async () => void (await Promise.all(background));
  await createFirstOwner(dependencies, { organization: "Example", email: "owner@example.com" });
  return {
    dependencies,
    logs,
    clock,
    folder,
    send: (path, init, remoteAddress = "203.0.113.1") =>
      answer(new Request(path.startsWith("/") ? `${ISSUER}${path}` : path, init), {
        remoteAddress,
        waitUntil,
        target: path,
      }),
    createClient: (fields) => createTestClient(dependencies, fields),
    settled,
    close: async () => {
      await settled();
      executor.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function createTestClient(dependencies: Dependencies, fields: ClientFields = {}): Promise<TestClient> {
  const organization = await dependencies.stores.directory.firstOrganization();
  if (organization === undefined) throw new Error("there is no organization");
  const actor = { id: "operator:test", organizationId: organization.organizationId };
  const { clientId } = await createApiClient(dependencies, actor, { name: "a client", ...fields });
  const { keyPair, privateKeyPem = "" } = await addKeyPair(dependencies, actor, { clientId });
  return { clientId, organizationId: actor.organizationId, keyPairId: keyPair.keyPairId, privateKeyPem };
}

function settableClock(start: number): SettableClock {
  let current = start;
  return {
    now: () => current,
    set: (milliseconds) => {
      current = milliseconds;
    },
  };
}

/** The authorization server of the product in this process. */
export const PROVIDER: OidcProviderConfiguration = {
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
  assertion: { audience: "any", maxLifetime: 3_600_000, clockSkew: 30_000 },
  apiClients: { enabled: true, accessTokenLifetime: 3_600_000 },
  publicKeys: [],
  signingKeys: [],
  registration: NO_REGISTRATION,
  grantLifetime: 2_592_000_000,
  scopeDescriptions: {},
};

export const inProcessConfiguration: Configuration = {
  ...PROCESS,
  publicURL: ISSUER,
  store: { path: "" },
  ...{ auditWebRequests: "denied", oauthConnectors: [], signals: [], webhooks: [], vaultKeys: [] },
  oidcProvider: PROVIDER,
  console: { ...CONSOLE, baseURL: ISSUER },
  session: { cookieName: "__Host-countersign", maxTimeout: 86_400_000, idleTimeout: 3_600_000 },
  limits: [],
  apps: [],
};
