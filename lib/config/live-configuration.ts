import type { Clock } from "../clock.ts";
import type { Upkeep } from "../health/component.ts";
import { causeOf } from "../logging/cause.ts";
import type { Logger } from "../logging/logger.ts";
import { SECRET_TTL } from "../secrets/cached.ts";
import type { SecretProvider } from "../secrets/provider.ts";
import type { ConfigurationArtifact } from "./artifact.ts";
import { ConfigurationError, formatMessage } from "./messages.ts";
import type { ResolvedDocument } from "./settings/resolved-document.ts";
import type { ConfigurationSnapshot } from "./snapshot.ts";

/** The configuration as it follows its secrets: a value that changed makes a new snapshot (D57). */
export interface LiveConfiguration {
  readonly snapshot: () => ConfigurationSnapshot & ResolvedDocument;
  /**
   * Fetches the secrets again when they are due and replaces the snapshot when one of them changed; cheap when nothing is
   * due. What fails is logged. Nothing comes of it once the signal aborts.
   */
  readonly tend: (upkeep: Upkeep) => void;
}

export interface LiveConfigurationOptions {
  readonly artifact: ConfigurationArtifact;
  /** What the artifact was resolved to, and the values that its secrets had then, by reference. */
  readonly first: { readonly document: ResolvedDocument; readonly secrets: ReadonlyMap<string, string> };
  /**
   * The provider for one refresh; with the signal nobody is told any more of what fails. On Workers it is another one each
   * time, because it holds promises (D29).
   */
  readonly openSecrets: (signal?: AbortSignal) => SecretProvider | Promise<SecretProvider>;
  /** Resolves the artifact with such secrets; rejects with ConfigurationError. */
  readonly resolve: (secrets: SecretProvider) => Promise<ResolvedDocument>;
  /** Between two refreshes, milliseconds; five minutes unless given. */
  readonly interval?: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of each new snapshot when it is in use. */
  readonly onReplaced: (snapshot: ConfigurationSnapshot) => void | Promise<void>;
}

export function liveConfiguration(options: LiveConfigurationOptions): LiveConfiguration {
  const { artifact, openSecrets, resolve, interval = SECRET_TTL, clock, logger, onReplaced } = options;
  const references = secretReferences(artifact);
  let { secrets } = options.first;
  let snapshot = { revision: 1, ...options.first.document };
  let lookedAt = clock.now();

  async function refresh(signal: AbortSignal | undefined): Promise<void> {
    const fetched = await fetchAll(references, await openSecrets(signal));
    if (signal?.aborted || references.every((reference) => fetched.get(reference) === secrets.get(reference))) return;
    // Also when they do not validate: what is wrong with them is told once.
    secrets = fetched;
    const document = await resolve(fetchedSecrets(fetched));
    if (signal?.aborted) return;
    snapshot = { revision: snapshot.revision + 1, ...document };
    await onReplaced(snapshot);
  }

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
    tend: ({ waitUntil, signal }) => {
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
export function fetchedSecrets(values: ReadonlyMap<string, string>): SecretProvider {
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
