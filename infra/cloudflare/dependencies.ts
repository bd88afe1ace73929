import { createRereadBudget } from "../../lib/api-clients/reread-budget.ts";
import { systemClock } from "../../lib/clock.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { formatMessage } from "../../lib/config/messages.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import type { Dependencies } from "../../lib/dependencies.ts";
import { fromBase64url } from "../../lib/encoding.ts";
import { uuid } from "../../lib/ids.ts";
import { jsonLine } from "../../lib/logging/json-line.ts";
import { lineLogger } from "../../lib/logging/line-logger.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { textLine } from "../../lib/logging/text-line.ts";
import { webCryptoSignatureVerifier } from "../../lib/oauth/webcrypto-signature-verifier.ts";
import { webCryptoRandom } from "../../lib/random.ts";
import { environmentSecrets } from "../../lib/secrets/env.ts";
import { openSecretProvider } from "../../lib/secrets/open.ts";
import type { WorkerEnv } from "./env.ts";
import { cloudflareStores } from "./stores.ts";

/** Fills the compiled configuration from the bindings and builds what the product needs. Rejects when it cannot start. */
export async function workerDependencies(artifact: ConfigurationArtifact, env: WorkerEnv): Promise<Dependencies> {
  const environment = textsOf(env);
  const { configuration, warnings } = await resolveConfiguration(artifact, {
    environment,
    secrets: await openSecretProvider({ variable: env.SVC_SECRET_PROVIDER }, { env: environmentSecrets(environment) }),
    runtime: "workers",
  });
  const logger = workerLogger(configuration);
  for (const warning of warnings) logger.warn("configuration", { detail: formatMessage(warning) });
  const clock = systemClock;
  const snapshot = { revision: 1, configuration };
  return {
    configuration: () => snapshot,
    stores: cloudflareStores(env, clock),
    clock,
    random: webCryptoRandom,
    logger,
    signatures: webCryptoSignatureVerifier(),
    rereads: createRereadBudget(clock),
    fetch: (input, init) => fetch(input, init),
    clientIdSecret: clientIdSecret(configuration),
  };
}

/** Variables and secrets are texts among the bindings. */
function textsOf(env: WorkerEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function workerLogger(configuration: Configuration): Logger {
  const { level, jsonOutput } = configuration.logger;
  return lineLogger({
    level,
    format: jsonOutput ? jsonLine : textLine,
    write: (line) => console.log(line),
    clock: systemClock,
    soid: uuid(webCryptoRandom),
  });
}

/** An instance without an authorization server makes no client ids: an empty secret stands for that. */
function clientIdSecret(configuration: Configuration): Uint8Array {
  return fromBase64url(configuration.oidcProvider?.apiClients.idSecret ?? "") ?? new Uint8Array();
}
