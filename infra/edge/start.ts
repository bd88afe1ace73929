import { clientIds } from "../../lib/api-clients/client-id.ts";
import { createRereadBudget } from "../../lib/api-clients/reread-budget.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { createRefusalLog } from "../../lib/audit/refusals.ts";
import { createRevokedSignerSearches } from "../../lib/authorization-server/refusal-records.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { configuredLogger, logWarnings } from "../../lib/config/configured-logger.ts";
import { resolveLive } from "../../lib/config/live-configuration.ts";
import { createKnownSessions } from "../../lib/directory/known-sessions.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { fromBase64url } from "../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { AMONG_OTHERS, APART, createLimiter } from "../../lib/limits/create-limiter.ts";
import { isDebugMode } from "../../lib/logging/logger-configuration.ts";
import { createMessageRoom, NARROW } from "../../lib/mcp/message-room.ts";
import { type OpenFetch, OutboundError } from "../../lib/net/outbound.ts";
import { openSecretProvider } from "../../lib/secrets/open.ts";
import type { SecretProviderOpeners } from "../../lib/secrets/provider.ts";
import { createInstanceStops, ON_THE_EDGE } from "../../lib/stops/instance-stops.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { configuredStateSecret } from "../../lib/upstream/request-state/sealed-state.ts";
import { asyncLogScope } from "../log-scope.ts";
import { followAtEdge, startAtEdge } from "./deployment.ts";
import { type InstanceLog, unconfiguredLogger } from "./instance-log.ts";

/** What is built alike wherever a compiled configuration starts. */
export type EdgeDependencies = Omit<
  Dependencies,
  "signatures" | "keyRing" | "agentSuppliedFetch" | "publicFetch" | "clientDocuments" | "forward"
>;

/** What a runtime gives secret providers. */
export interface EdgeSecrets {
  readonly openers: SecretProviderOpeners;
  /** The platform's unless given. */
  readonly fetch?: typeof fetch;
  readonly openFetch?: OpenFetch;
}

/**
 * Fills the compiled configuration from the environment, takes the stored settings and builds what needs nothing else.
 * Rejects when the configuration cannot start or the settings cannot be read.
 */
export async function resolveAtEdge<Opened extends Stores>(
  builtIn: ConfigurationArtifact,
  environment: Readonly<Record<string, string | undefined>>,
  runtime: "workers" | "lambda",
  log: InstanceLog,
  secrets: EdgeSecrets,
  openStores: (
    parts: Pick<Dependencies, "clock" | "random" | "logger"> & Pick<Configuration, "auditRetention">,
  ) => Opened,
): Promise<EdgeDependencies & { readonly stores: Opened }> {
  const clock = systemClock;
  const platformFetch: typeof fetch = (input, init) => fetch(input, init);
  const sources = { fetch: secrets.fetch ?? platformFetch, openFetch: secrets.openFetch, clock, environment };
  const openSecrets = async () => {
    const provider = await openSecretProvider({ variable: environment.SVC_SECRET_PROVIDER }, secrets.openers, sources);
    provider.onValue(log.secrets.add);
    return provider;
  };
  const onSecret = log.secrets.add;
  onSecret(environment.SVC_CONFIG_TOKEN ?? "");
  const random = webCryptoRandom;
  const { resolved, deployment } = await startAtEdge(builtIn, environment, {
    openDeployments: () => openStores({ clock, random, logger: unconfiguredLogger(log, clock) }).deployments,
    resolve: (artifact) => resolveLive(artifact, { environment, runtime, openSecrets, clock, onSecret }),
    fetch: sources.fetch,
    clock,
    random,
  });
  const { configuration, warnings } = resolved;
  const logScope = asyncLogScope();
  const options = { configuration: configuration.logger, verbose: isDebugMode(environment), scope: logScope };
  const logger = configuredLogger({ ...log, ...options, clock });
  logWarnings(logger, warnings);
  const { auditRetention } = configuration;
  const stores = openStores({ clock, random, logger, ...(auditRetention !== undefined && { auditRetention }) });
  const live = await resolved.keepLive({ logger, settings: stores.settings });
  const following = {
    region: configuration.oidcProvider?.region,
    configuration: live.snapshot,
    deployments: stores.deployments,
    clock,
    random,
    logger,
  };
  const { takeOver, artifact } = live;
  const followed =
    deployment &&
    (await followAtEdge(deployment, { ...following, takeOver, artifact, environment, runtime, fetch: sources.fetch }));
  const instanceStops = createInstanceStops({ stores, clock, logger }, ON_THE_EDGE);
  const stateSecret = configuredStateSecret(configuration);
  const sessionPorts = { configuration: live.snapshot, stores, clock, instanceStops, stateSecret };
  return {
    configuration: live.snapshot,
    refreshConfiguration: (maintenance) => {
      live.refresh(maintenance);
      followed?.refresh(maintenance);
    },
    gatewaySettings: live.gatewaySettings,
    deployment: followed,
    stores,
    clock,
    random,
    logger,
    logScope,
    rereads: createRereadBudget(clock),
    revokedSignerSearches: createRevokedSignerSearches(clock),
    refusals: createRefusalLog({ configuration: live.snapshot, stores, clock, random, logger }),
    instanceStops,
    knownSessions: createKnownSessions(sessionPorts, { memory: SESSION_MEMORY }),
    limiter: createLimiter({ stores, clock, logger }, runtime === "workers" ? APART : AMONG_OTHERS),
    messageRoom: createMessageRoom(NARROW),
    fetch: platformFetch,
    outbound: (tls) => withoutFiles(platformFetch, configuration.tls, tls),
    clientIds: clientIds(clientIdSecret(configuration)),
    stateSecret,
  };
}

/** Sessions that end elsewhere end here so much later, milliseconds: a page asks for many files at once. */
const SESSION_MEMORY = 2_000;

/** Workers has no files, and connections take no settings of their own. */
function withoutFiles(plain: typeof fetch, entries: Configuration["tls"], name?: string): typeof fetch {
  if (name === undefined) return plain;
  const { caFile, certFile, keyFile } = entries[name] ?? {};
  if (caFile === undefined && certFile === undefined && keyFile === undefined) return plain;
  throw new OutboundError(`tls.${name} names files, which this runtime does not have.`);
}

/** An instance without an authorization server makes no client ids and checks none: it needs no secret. */
function clientIdSecret({ oidcProvider }: Configuration): Uint8Array {
  return fromBase64url(oidcProvider?.apiClients.idSecret ?? "") ?? new Uint8Array();
}
