import { clientIds } from "../../lib/api-clients/client-id.ts";
import { createRereadBudget } from "../../lib/api-clients/reread-budget.ts";
import { systemClock } from "../../lib/clock.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import type { Dependencies } from "../../lib/dependencies.ts";
import { fromBase64url } from "../../lib/encoding.ts";
import { uuid } from "../../lib/ids.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import { configuredLogger, isDebugMode, logWarnings } from "../../lib/logging/configured-logger.ts";
import { redactText } from "../../lib/logging/redaction.ts";
import { createRefusalRecords } from "../../lib/oauth/refusal-records.ts";
import { webCryptoRandom } from "../../lib/random.ts";
import { environmentSecrets } from "../../lib/secrets/env.ts";
import { openSecretProvider } from "../../lib/secrets/open.ts";

/** Receives each log line without its line break. */
export type WriteLine = (line: string) => unknown;

/** What is built alike wherever a compiled configuration starts. */
export type EdgeDependencies = Omit<Dependencies, "stores" | "signatures">;

/**
 * Fills the compiled configuration from the environment and builds what needs nothing else. An instance's `soid` lives as
 * long as the instance. Rejects when the configuration cannot start.
 */
export async function resolveAtEdge(
  artifact: ConfigurationArtifact,
  environment: Readonly<Record<string, string | undefined>>,
  runtime: "workers" | "lambda",
  write: WriteLine,
): Promise<EdgeDependencies> {
  const secrets = await openSecretProvider(
    { variable: environment.SVC_SECRET_PROVIDER },
    { env: environmentSecrets(environment) },
  );
  const { configuration, warnings } = await resolveConfiguration(artifact, { environment, secrets, runtime });
  const clock = systemClock;
  const random = webCryptoRandom;
  const options = { configuration: configuration.logger, verbose: isDebugMode(environment) };
  const logger = configuredLogger({ ...options, write, clock, soid: uuid(random) });
  logWarnings(logger, warnings);
  const snapshot = { revision: 1, configuration };
  return {
    configuration: () => snapshot,
    clock,
    random,
    logger,
    rereads: createRereadBudget(clock),
    refusalRecords: createRefusalRecords(clock),
    fetch: (input, init) => fetch(input, init),
    clientIds: clientIds(clientIdSecret(configuration)),
  };
}

/** A configuration that cannot start answers 503 on every path; only the log says why (D13). */
export function cannotStart(error: unknown, write: WriteLine): () => Promise<Response> {
  const time = new Date().toISOString();
  const cause = redactText(causeOf(error));
  write(JSON.stringify({ time, level: "error", msg: "the configuration cannot start", cause }));
  return async () => Response.json({ status: "down" }, { status: 503, headers: { "Cache-Control": "no-store" } });
}

/** An instance without an authorization server makes no client ids and checks none: it needs no secret. */
function clientIdSecret({ oidcProvider }: Configuration): Uint8Array {
  return fromBase64url(oidcProvider?.apiClients.idSecret ?? "") ?? new Uint8Array();
}
