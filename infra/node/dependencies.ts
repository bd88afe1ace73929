import { join } from "node:path";
import { clientIds } from "../../lib/api-clients/client-id.ts";
import { createRereadBudget } from "../../lib/api-clients/reread-budget.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { createRefusalLog } from "../../lib/audit/refusals.ts";
import { createClientDocuments } from "../../lib/authorization-server/clients/client-documents.ts";
import { createKeyRing } from "../../lib/authorization-server/keys/create-key-ring.ts";
import { createRevokedSignerSearches } from "../../lib/authorization-server/refusal-records.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { configuredLogger } from "../../lib/config/configured-logger.ts";
import { createKnownSessions } from "../../lib/directory/known-sessions.ts";
import { type Clock, systemClock } from "../../lib/kernel/clock.ts";
import { uuid } from "../../lib/kernel/ids.ts";
import { ALONE, createLimiter } from "../../lib/limits/create-limiter.ts";
import type { SecretValues } from "../../lib/logging/secret-values.ts";
import { createMessageRoom, WIDE } from "../../lib/mcp/message-room.ts";
import { localSessionChannel } from "../../lib/mcp/sessions/local-channel.ts";
import { OutboundError } from "../../lib/net/outbound.ts";
import { proxiesOf } from "../../lib/net/proxies.ts";
import { createInstanceStops, IN_PROCESS } from "../../lib/stops/instance-stops.ts";
import { configuredStateSecret } from "../../lib/upstream/request-state/sealed-state.ts";
import { localConnections } from "../../lib/upstream/sse/held-connections.ts";
import { localWaitingCalls } from "../../lib/upstream/waiting/local-calls.ts";
import { asyncLogScope } from "../log-scope.ts";
import { builtFiles } from "./console/built-files.ts";
import { consoleFolder } from "./console/folder.ts";
import { pooledRandom } from "./crypto/random.ts";
import { nodeSignatureVerifier } from "./crypto/signature-verifier.ts";
import { nodeSigningCrypto } from "./crypto/signing-crypto.ts";
import { fileErrorReason } from "./files/file-error.ts";
import { agentSuppliedFetch, publicFetch } from "./net/agent-supplied.ts";
import { configuredOutbound } from "./net/configured-outbound.ts";
import { configuredForward } from "./net/forward.ts";
import { smtpSender } from "./net/smtp.ts";
import { type EmbeddedStore, openEmbeddedStore } from "./sqlite/embedded-store.ts";
import { startHousekeeping } from "./sqlite/housekeeping.ts";
import { StartupError } from "./startup-error.ts";
import { persistentFile } from "./store-folder/persistent-file.ts";
import { restorePersistentFiles } from "./store-folder/restored-files.ts";
import { clientIdSecret, signingKeySecret } from "./store-folder/secret-files.ts";
import { lockServing } from "./store-folder/serving-lock.ts";
import { openStoreOfOther, openStoreThread } from "./store-thread/open.ts";
import { STORE_SOCKET } from "./workers/messages.ts";
import type { Worker } from "./workers/worker.ts";

export interface NodeOptions {
  /** Receives each log line without its line break. */
  readonly write: (line: string) => void;
  readonly verbose?: boolean;
  /** Names the proxies of outbound connections, without it they go directly; and the Console's folder. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** What no log entry may show. */
  readonly knownSecrets?: SecretValues;
}

export interface NodeDependencies extends Pick<EmbeddedStore, "hasOwner" | "schemasAhead"> {
  readonly dependencies: Dependencies;
  /** Identifies this instance, in its log and beyond. */
  readonly soid: string;
  /** Finishes queued writes and closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the embedded store and builds everything the product needs around it, for the administration commands, also
 * while a server runs on the same store.
 * @throws StartupError when the store cannot be opened
 */
export function openNodeDependencies(configuration: Configuration, options: NodeOptions): NodeDependencies {
  return build(configuration, options, openEmbeddedStore);
}

/**
 * The same for a server, which goes on with other requests while one's writes are flushed to disk.
 * @throws StartupError when the store cannot be opened
 */
export function openServerDependencies(
  configuration: Configuration,
  options: NodeOptions,
  socket?: string,
): NodeDependencies {
  return build(configuration, options, (folder, clock) => openServedStore(folder, clock, socket));
}

/**
 * The same for one of several processes of a server, another of which has the store's thread and opened the store before (D195).
 * @throws StartupError when the store cannot be opened
 */
export function openWorkerDependencies(
  configuration: Configuration,
  options: NodeOptions,
  worker: Worker,
): NodeDependencies {
  const { folder, onClientChanged, ports } = worker;
  const others = { changed: ports.clientChanged, onChanged: onClientChanged };
  const open = (path: string, clock: Clock) => openStoreOfOther(path, clock, join(folder, STORE_SOCKET), others);
  return build(configuration, options, open, worker);
}

/** No other server has it for as long as it is open. */
function openServedStore(folder: string, clock: Clock, socket: string | undefined): EmbeddedStore {
  const lock = lockServing(folder);
  try {
    // Without others to reach it, this process serves alone.
    const store = openStoreThread(folder, clock, { isAlone: socket === undefined, socket });
    const close = async (): Promise<void> => {
      await store.close();
      lock.release();
    };
    return { ...store, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function build<Store extends EmbeddedStore>(
  configuration: Configuration,
  options: NodeOptions,
  openStore: (folder: string, clock: Clock) => Store,
  worker?: Worker,
): NodeDependencies & Store {
  try {
    if (worker === undefined) restorePersistentFiles(configuration.store.path);
    const store = openStore(configuration.store.path, systemClock);
    try {
      return { ...store, ...around(store, configuration, options, worker) };
    } catch (error) {
      void store.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof StartupError || error instanceof OutboundError) throw error;
    const reason = fileErrorReason(error);
    throw new StartupError(`Cannot open the store in ${configuration.store.path}: ${reason}.`, { cause: error });
  }
}

function around(
  { stores, cleaning, keeping, hasOwner, schemasAhead, close }: EmbeddedStore,
  configuration: Configuration,
  options: NodeOptions,
  worker: Worker | undefined,
): NodeDependencies {
  const clock = systemClock;
  const random = pooledRandom();
  const { path } = configuration.store;
  const secret = clientIdSecret(configuration, random);
  const soid = persistentFile(path, "soid", () => Buffer.from(uuid(random))).toString("utf8");
  const { logger: logging } = configuration;
  const { write, verbose = false, knownSecrets } = options;
  const logScope = asyncLogScope();
  const ofInstance = configuredLogger({
    configuration: logging,
    verbose,
    write,
    clock,
    soid,
    scope: logScope,
    ...(knownSecrets !== undefined && { secrets: knownSecrets }),
  });
  const logger = worker === undefined ? ofInstance : ofInstance.with({ worker: worker.number });
  keeping?.listen((state) => {
    if (state.kept) logger.info("the store keeps what is written again");
    else
      logger.error("the store keeps nothing that is written; requests that write are answered 503", {
        cause: state.reason,
      });
  });
  const connecting = { tls: configuration.tls, environment: options.environment ?? {}, logger };
  const outbound = configuredOutbound(connecting);
  const suppliedFetch = agentSuppliedFetch();
  const housekeeping =
    worker === undefined ? startHousekeeping(cleaning, logger, configuration.auditRetention) : undefined;
  const stops = createInstanceStops({ stores, clock, logger }, IN_PROCESS);
  const instanceStops = worker?.shareStops(stops) ?? stops;
  const snapshot = { revision: 1, configuration };
  const stateSecret = configuredStateSecret(configuration) ?? new Uint8Array(secret);
  const sessionPorts = { configuration: () => snapshot, stores, clock, instanceStops, stateSecret };
  const keyRing = createKeyRing({
    configuration: () => snapshot,
    clock,
    random,
    logger,
    signingKeys: stores.signingKeys,
    crypto: nodeSigningCrypto(),
    keySecret: signingKeySecret(configuration, random),
  });
  return {
    dependencies: {
      configuration: () => snapshot,
      stores,
      ...(keeping !== undefined && { storeKeepsWrites: keeping.isKept }),
      clock,
      random,
      logger,
      logScope,
      signatures: nodeSignatureVerifier(),
      rereads: createRereadBudget(clock),
      revokedSignerSearches: createRevokedSignerSearches(clock),
      refusals:
        worker?.ports.refusals ?? createRefusalLog({ configuration: () => snapshot, stores, clock, random, logger }),
      instanceStops,
      // Other processes end sessions, too.
      knownSessions: createKnownSessions(sessionPorts, { memory: 0 }),
      messageRoom: createMessageRoom(WIDE),
      limiter: worker?.ports.limiter ?? createLimiter({ stores, clock, logger }, ALONE),
      fetch: outbound(),
      outbound,
      forward: configuredForward(connecting),
      agentSuppliedFetch: suppliedFetch,
      publicFetch: publicFetch({ proxies: proxiesOf(connecting.environment) }),
      sendBySmtp: smtpSender(connecting),
      clientDocuments: createClientDocuments({ agentSuppliedFetch: suppliedFetch, clock, logger }),
      clientIds: clientIds(secret),
      keyRing,
      sessionChannel: worker?.ports.sessionChannel ?? localSessionChannel(),
      stateSecret,
      waitingCalls: worker?.waitingCalls(random) ?? localWaitingCalls(random),
      upstreamConnections: localConnections(),
      otherProcesses: worker?.ports.otherProcesses,
      consoleAssets: builtFiles(consoleFolder(options.environment ?? {})),
    },
    soid,
    hasOwner,
    schemasAhead,
    close: () => {
      housekeeping?.stop();
      return close();
    },
  };
}
