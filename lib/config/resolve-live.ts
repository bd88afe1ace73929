import type { Clock } from "../clock.ts";
import type { Logger } from "../logging/logger.ts";
import { type CachedSecret, cachedSecrets } from "../secrets/cached.ts";
import type { SecretProvider } from "../secrets/provider.ts";
import type { Settings } from "../stores/settings.ts";
import type { ConfigurationArtifact } from "./artifact.ts";
import type { Configuration } from "./configuration.ts";
import type { Environment } from "./fill.ts";
import { fetchedSecrets, type LiveConfiguration, liveConfiguration } from "./live-configuration.ts";
import type { ConfigurationMessage } from "./messages.ts";
import { type Runtime, resolveConfiguration } from "./resolve.ts";
import { type FollowedSettings, followSettings } from "./settings/follow.ts";
import type { GatewaySettings } from "./settings/gateway-settings.ts";
import { overlaid } from "./settings/overlay.ts";
import type { ResolvedDocument } from "./settings/resolved-document.ts";
import { configuredSettings, type SettingValues } from "./settings/settings.ts";
import type { ConfigurationSnapshot } from "./snapshot.ts";

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
  readonly onReplaced?: (snapshot: ConfigurationSnapshot) => void;
}

/** A configuration that follows its secrets and the stored settings. */
export interface KeptLive extends Pick<LiveConfiguration, "tend"> {
  readonly snapshot: () => ConfigurationSnapshot;
  /** Absent: the document has no `mcpProvider`. */
  readonly gatewaySettings?: GatewaySettings;
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
    const documentOf = (resolved: Awaited<ReturnType<typeof resolve>>, secrets: SecretProvider): ResolvedDocument => {
      const { configuration, configured } = resolved;
      const resolveWith = async (values: SettingValues) =>
        adjust((await resolve(overlaid(artifact, values, configuration.publicURL), secrets)).configuration);
      return { configuration: adjust(configuration), configured, resolveWith };
    };
    const secrets = new Map(Array.from(entries, ([reference, { value }]) => [reference, value]));
    const replaced = (snapshot: ConfigurationSnapshot) => {
      const { revision, configuration } = snapshot;
      logger.info("configuration replaced", { revision, configVersion: configuration.version });
      onReplaced?.(snapshot);
    };
    let followed: FollowedSettings | undefined;
    const live = liveConfiguration({
      artifact,
      first: { document: documentOf(first, fetchedSecrets(secrets)), secrets },
      openSecrets: async (signal) => cachedSecrets(await openSecrets(), { ...cache, onStale: tellStale(signal) }),
      resolve: async (fetched) => documentOf(await resolve(artifact, fetched), fetched),
      interval,
      clock,
      logger,
      onReplaced: (snapshot) => (followed === undefined ? replaced(snapshot) : followed.documentReplaced()),
    });
    if (settings === undefined || first.configured === undefined) return live;
    followed = await followSettings({ settings, document: live.snapshot, clock, logger, onReplaced: replaced });
    return followingBoth(live, followed);
  };
  return { configuration: first.configuration, warnings: first.warnings, keepLive };
}

function followingBoth(secrets: LiveConfiguration, settings: FollowedSettings): KeptLive {
  return {
    snapshot: settings.snapshot,
    gatewaySettings: settings.gatewaySettings,
    tend: (upkeep) => {
      secrets.tend(upkeep);
      settings.tend(upkeep);
    },
  };
}

function asItIs(configuration: Configuration): Configuration {
  return configuration;
}
