import type { Maintenance } from "../health/component.ts";
import type { Clock } from "../kernel/clock.ts";
import { causeOf } from "../logging/cause.ts";
import type { Logger } from "../logging/logger.ts";
import { type CachedSecret, cachedSecrets, SECRET_TTL } from "../secrets/cached.ts";
import type { SecretProvider } from "../secrets/provider.ts";
import type { Settings } from "../stores/settings.ts";
import type { ConfigurationArtifact } from "./artifact.ts";
import type { Configuration, ConfigurationSnapshot, Runtime } from "./configuration.ts";
import type { Environment } from "./fill.ts";
import { ConfigurationError, type ConfigurationMessage, formatMessage } from "./messages.ts";
import { resolveConfiguration } from "./resolve.ts";
import { type FollowedSettings, followSettings, type Replacement } from "./settings/follow.ts";
import type { GatewaySettings, ResolvedDocument } from "./settings/settings.ts";
import { configuredSettings, overlaid, type SettingValues } from "./settings/settings.ts";

export interface ResolveLiveOptions {
  readonly environment: Environment;
  readonly runtime: Runtime;
  /** Called now and for each refresh; on Workers it has to open another provider each time (D29). */
  readonly openSecrets: () => SecretProvider | Promise<SecretProvider>;
  readonly clock: Clock;
  /** How long secrets are taken without fetching them again, milliseconds; five minutes unless given. */
  readonly interval?: number | undefined;
  /** Told of each text that the schema marks as secret, also of those that follow a secret later. */
  readonly onSecret?: (text: string) => void;
}

export interface KeepLiveOptions {
  readonly logger: Logger;
  /** Where people keep settings of the gateway; absent: nobody can set any. */
  readonly settings?: Pick<Settings, "readSettings">;
  /** What the instance itself adds to each configuration. */
  readonly adjust?: (configuration: Configuration) => Configuration;
  readonly onReplaced?: (snapshot: ConfigurationSnapshot, replacement: Replacement) => void;
}

/** A configuration that follows its secrets and the stored settings. */
export interface KeptLive extends Pick<LiveConfiguration, "refresh"> {
  readonly snapshot: () => ConfigurationSnapshot;
  /** What is in use, without its secrets. */
  readonly artifact: () => ConfigurationArtifact;
  /**
   * Resolves another artifact with secrets of its own, and has it in use when it resolves to the snapshot. Until then, and when it
   * rejects, the former one is.
   *
   * @param secrets absent: they are fetched
   * @throws ConfigurationError that lists every mistake, also in how the stored settings fit it; and what `accept` throws
   */
  takeOver(artifact: ConfigurationArtifact, accept: Accept, secrets?: SecretsByReference): Promise<TakenOver>;
  /** Absent: the document has no `mcpProvider`. */
  readonly gatewaySettings?: GatewaySettings;
}

/** Values of secrets by how the configuration refers to them. */
export type SecretsByReference = ReadonlyMap<string, string>;

/**
 * Rejects when this instance cannot use what an artifact says; the last thing that can fail. Both are without the settings of the
 * Console.
 *
 * @param running what is in use now, with its secrets as they are now
 * @param artifact what that was made of
 */
export type Accept = (next: Configuration, running: Configuration, artifact: ConfigurationArtifact) => Promise<void>;

export interface TakenOver {
  /** With which the artifact was resolved. */
  readonly secrets: SecretsByReference;
}

export interface ResolvedLive {
  readonly configuration: Configuration;
  readonly warnings: readonly ConfigurationMessage[];
  /**
   * The logger is made of the configuration; from then on, the configuration can follow its secrets and settings. Rejects
   * when the settings cannot be read.
   */
  keepLive(options: KeepLiveOptions): Promise<KeptLive>;
}

/**
 * Resolves the configuration for the first time, with all secrets fetched at once.
 * @throws ConfigurationError that lists every mistake, and SecretError when the provider cannot be opened
 */
export async function resolveLive(artifact: ConfigurationArtifact, options: ResolveLiveOptions): Promise<ResolvedLive> {
  const { environment, runtime, openSecrets, clock, interval, onSecret } = options;
  const entries = new Map<string, CachedSecret>();
  const cache = { clock, entries, ...(interval !== undefined && { ttl: interval }) };
  const resolve = async (source: ConfigurationArtifact, secrets: SecretProvider) => {
    const resolved = await resolveConfiguration(source, { environment, secrets, runtime, onSecret });
    const { configuration, warnings, document } = resolved;
    return { configuration, warnings, configured: configuredSettings(document) };
  };
  const first = await resolve(artifact, cachedSecrets(await openSecrets(), cache));

  const keepLive = async ({ logger, settings, adjust = asItIs, onReplaced }: KeepLiveOptions): Promise<KeptLive> => {
    const tellStale = (signal: AbortSignal | undefined) => (reference: string, error: Error) => {
      if (signal?.aborted) return;
      logger.warn("a secret cannot be refreshed; its former value stays in use", { reference, cause: error.message });
    };
    const resolveAll = async (source: ConfigurationArtifact, secrets: SecretProvider): Promise<ResolvedDocument> =>
      documentOf(source, await resolve(source, secrets), secrets);
    const documentOf = (
      source: ConfigurationArtifact,
      { configuration, configured }: Awaited<ReturnType<typeof resolve>>,
      secrets: SecretProvider,
    ): ResolvedDocument => {
      const resolveWith = async (values: SettingValues) =>
        adjust((await resolve(overlaid(source, values, configuration.publicURL), secrets)).configuration);
      return { configuration: adjust(configuration), configured, resolveWith };
    };
    const secrets = new Map(Array.from(entries, ([reference, { value }]) => [reference, value]));
    const replaced = (snapshot: ConfigurationSnapshot, replacement: Replacement = { isOfOverridesAlone: false }) => {
      const { revision, configuration } = snapshot;
      logger.info("configuration replaced", { revision, configVersion: configuration.version });
      onReplaced?.(snapshot, replacement);
    };
    let followed: FollowedSettings | undefined;
    const live = liveConfiguration({
      artifact,
      first: { document: documentOf(artifact, first, fetchedSecrets(secrets)), secrets },
      openSecrets: async (signal) => cachedSecrets(await openSecrets(), { ...cache, onStale: tellStale(signal) }),
      resolve: resolveAll,
      interval,
      clock,
      logger,
      onReplaced: (snapshot) => (followed === undefined ? replaced(snapshot) : followed.documentReplaced()),
    });
    if (settings === undefined || first.configured === undefined) {
      const takeOver: KeptLive["takeOver"] = (next, accept, given) =>
        live.takeOver(next, (document, ...running) => accept(document.configuration, ...running), given);
      return { ...live, takeOver };
    }
    followed = await followSettings({ settings, document: live.snapshot, clock, logger, onReplaced: replaced });
    return followingBoth(live, followed);
  };
  return { configuration: first.configuration, warnings: first.warnings, keepLive };
}

function followingBoth(secrets: LiveConfiguration, settings: FollowedSettings): KeptLive {
  return {
    snapshot: settings.snapshot,
    artifact: secrets.artifact,
    gatewaySettings: settings.gatewaySettings,
    takeOver: (artifact, accept, given) => {
      const acceptAll: AcceptDocument = async (document, ...running) => {
        await settings.mustFit(document);
        await accept(document.configuration, ...running);
      };
      return secrets.takeOver(artifact, acceptAll, given);
    },
    refresh: (maintenance) => {
      secrets.refresh(maintenance);
      settings.refresh(maintenance);
    },
  };
}

function asItIs(configuration: Configuration): Configuration {
  return configuration;
}

/** The same before the settings of the Console are looked at. */
type AcceptDocument = (next: ResolvedDocument, ...running: ParametersAfterFirst<Accept>) => Promise<void>;
type ParametersAfterFirst<Called extends (...given: never[]) => unknown> =
  Parameters<Called> extends [unknown, ...infer Rest] ? Rest : never;

/** The configuration as it follows its secrets: a value that changed makes a new snapshot (D57). */
interface LiveConfiguration {
  readonly snapshot: () => ConfigurationSnapshot & ResolvedDocument;
  readonly artifact: () => ConfigurationArtifact;
  /**
   * Fetches the secrets again when they are due and replaces the snapshot when one of them changed; cheap when nothing is
   * due. What fails is logged. Nothing comes of it once the signal aborts.
   */
  readonly refresh: (maintenance: Maintenance) => void;
  /** See `KeptLive`. */
  readonly takeOver: (
    artifact: ConfigurationArtifact,
    accept: AcceptDocument,
    secrets: SecretsByReference | undefined,
  ) => Promise<TakenOver>;
}

interface LiveConfigurationOptions {
  readonly artifact: ConfigurationArtifact;
  /** What the artifact was resolved to, and the values that its secrets had then, by reference. */
  readonly first: { readonly document: ResolvedDocument; readonly secrets: ReadonlyMap<string, string> };
  /**
   * The provider for one refresh; with the signal nobody is told any more of what fails. On Workers it is another one each
   * time, because it holds promises (D29).
   */
  readonly openSecrets: (signal?: AbortSignal) => SecretProvider | Promise<SecretProvider>;
  /** Resolves an artifact with such secrets; rejects with ConfigurationError. */
  readonly resolve: (artifact: ConfigurationArtifact, secrets: SecretProvider) => Promise<ResolvedDocument>;
  /** Between two refreshes, milliseconds; five minutes unless given. */
  readonly interval?: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of each new snapshot when it is in use. */
  readonly onReplaced: (snapshot: ConfigurationSnapshot) => void | Promise<void>;
}

function liveConfiguration(options: LiveConfigurationOptions): LiveConfiguration {
  const { openSecrets, resolve, interval = SECRET_TTL, clock, logger, onReplaced } = options;
  let { artifact } = options;
  let references = secretReferences(artifact);
  let { secrets } = options.first;
  let snapshot = { revision: 1, ...options.first.document };
  let lookedAt = clock.now();

  async function refresh(signal: AbortSignal | undefined): Promise<void> {
    const source = artifact;
    const fetched = await fetchAll(references, await openSecrets(signal));
    // What was taken over meanwhile has fetched its own.
    const isOver = () => signal?.aborted || artifact !== source;
    if (isOver() || references.every((reference) => fetched.get(reference) === secrets.get(reference))) return;
    // Also when they do not validate: what is wrong with them is told once.
    secrets = fetched;
    const document = await resolve(source, fetchedSecrets(fetched));
    if (isOver()) return;
    snapshot = { revision: snapshot.revision + 1, ...document };
    await onReplaced(snapshot);
  }

  const fetchedFor = async (next: ConfigurationArtifact, named: readonly string[]): Promise<SecretsByReference> => {
    const provider = await openSecrets();
    return fetchAll(named, provider).catch(async (cause: unknown) => {
      // It tells where each secret stands that is not there.
      await resolve(next, provider);
      throw cause;
    });
  };

  const takeOver: LiveConfiguration["takeOver"] = async (next, accept, given) => {
    const named = secretReferences(next);
    const fetched = given ?? (await fetchedFor(next, named));
    const document = await resolve(next, fetchedSecrets(fetched));
    await accept(document, snapshot.configuration, artifact);
    [artifact, references, secrets] = [next, named, fetched];
    lookedAt = clock.now();
    snapshot = { revision: snapshot.revision + 1, ...document };
    await onReplaced(snapshot);
    return { secrets: fetched };
  };

  async function attempt(signal: AbortSignal | undefined): Promise<void> {
    // At the beginning, so that no other begins meanwhile, and at the end, so that each value is old enough next time.
    lookedAt = clock.now();
    try {
      await refresh(signal);
    } catch (error) {
      if (!signal?.aborted) logProblems(logger, error);
    }
    lookedAt = clock.now();
  }

  return {
    snapshot: () => snapshot,
    artifact: () => artifact,
    takeOver,
    refresh: ({ waitUntil, signal }) => {
      if (references.length > 0 && Math.abs(clock.now() - lookedAt) >= interval) waitUntil(attempt(signal));
    },
  };
}

/** Each secret that the artifact refers to, once. */
function secretReferences({ placeholders }: ConfigurationArtifact): readonly string[] {
  const parts = placeholders.flatMap((placeholder) => placeholder.parts);
  return [...new Set(parts.flatMap((part) => ("secret" in part ? [part.secret] : [])))];
}

async function fetchAll(references: readonly string[], provider: SecretProvider): Promise<ReadonlyMap<string, string>> {
  const fetched = references.map(async (reference) => [reference, await provider.get(reference)] as const);
  return new Map(await Promise.all(fetched));
}

/** What was fetched together, so that nothing changes between comparing and filling in. */
function fetchedSecrets(values: ReadonlyMap<string, string>): SecretProvider {
  return {
    async get(reference) {
      const value = values.get(reference);
      if (value === undefined) throw new Error(`The secret <${reference}> was not fetched.`);
      return value;
    },
  };
}

function logProblems(logger: Logger, error: unknown): void {
  if (!(error instanceof ConfigurationError)) {
    logger.error("the secrets cannot be refreshed", { cause: causeOf(error) });
    return;
  }
  for (const message of error.messages) {
    logger.error("the configuration is not valid with its new secrets; the former one stays in use", {
      detail: formatMessage(message),
    });
  }
}
