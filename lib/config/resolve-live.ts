import type { Clock } from "../clock.ts";
import type { Logger } from "../logging/logger.ts";
import { type CachedSecret, cachedSecrets } from "../secrets/cached.ts";
import type { SecretProvider } from "../secrets/provider.ts";
import type { ConfigurationArtifact } from "./artifact.ts";
import type { Configuration } from "./configuration.ts";
import type { Environment } from "./fill.ts";
import { type LiveConfiguration, liveConfiguration } from "./live-configuration.ts";
import type { ConfigurationMessage } from "./messages.ts";
import { type Runtime, resolveConfiguration } from "./resolve.ts";
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
  /** What the instance itself adds to each configuration. */
  readonly adjust?: (configuration: Configuration) => Configuration;
  readonly onReplaced?: (snapshot: ConfigurationSnapshot) => void;
}

export interface ResolvedLive {
  readonly configuration: Configuration;
  readonly warnings: readonly ConfigurationMessage[];
  /** The logger is made of the configuration; from then on, the configuration can follow its secrets. */
  keepLive(options: KeepLiveOptions): LiveConfiguration;
}

/**
 * Resolves the configuration for the first time, with all secrets fetched at once.
 * @throws ConfigurationError that lists every mistake, and SecretError when the provider cannot be opened
 */
export async function resolveLive(artifact: ConfigurationArtifact, options: ResolveLiveOptions): Promise<ResolvedLive> {
  const { environment, runtime, openSecrets, clock, interval, onSecret } = options;
  const entries = new Map<string, CachedSecret>();
  const cache = { clock, entries, ...(interval !== undefined && { ttl: interval }) };
  const secrets = cachedSecrets(await openSecrets(), cache);
  const { configuration, warnings } = await resolveConfiguration(artifact, { environment, secrets, runtime, onSecret });

  const keepLive = ({ logger, adjust = asItIs, onReplaced }: KeepLiveOptions): LiveConfiguration => {
    const tellStale = (signal: AbortSignal | undefined) => (reference: string, error: Error) => {
      if (signal?.aborted) return;
      logger.warn("a secret cannot be refreshed; its former value stays in use", { reference, cause: error.message });
    };
    return liveConfiguration({
      artifact,
      first: {
        configuration: adjust(configuration),
        secrets: new Map(Array.from(entries, ([reference, { value }]) => [reference, value])),
      },
      openSecrets: async (signal) => cachedSecrets(await openSecrets(), { ...cache, onStale: tellStale(signal) }),
      resolve: async (fetched) => {
        const resolved = await resolveConfiguration(artifact, { environment, secrets: fetched, runtime, onSecret });
        return adjust(resolved.configuration);
      },
      interval,
      clock,
      logger,
      ...(onReplaced !== undefined && { onReplaced }),
    });
  };
  return { configuration, warnings, keepLive };
}

function asItIs(configuration: Configuration): Configuration {
  return configuration;
}
