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
import { webCryptoRandom } from "../../lib/random.ts";
import { environmentSecrets } from "../../lib/secrets/env.ts";
import { openSecretProvider } from "../../lib/secrets/open.ts";
import { nodeSignatureVerifier } from "../node/signature-verifier.ts";
import { dynamoClient, tableNames } from "./dynamodb/client.ts";
import { dynamoStores } from "./dynamodb/stores.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Fills the compiled configuration from the environment and builds what the product needs. Rejects when it cannot start. */
export async function lambdaDependencies(
  artifact: ConfigurationArtifact,
  environment: Environment,
  write: (line: string) => unknown,
): Promise<Dependencies> {
  const configuration = await resolve(artifact, environment);
  const logger = lambdaLogger(configuration.configuration, write);
  for (const warning of configuration.warnings) logger.warn("configuration", { detail: formatMessage(warning) });
  const clock = systemClock;
  const random = webCryptoRandom;
  const snapshot = { revision: 1, configuration: configuration.configuration };
  return {
    configuration: () => snapshot,
    stores: dynamoStores({ client: dynamoClient(environment), tables: tableNames(environment), clock, random }),
    clock,
    random,
    logger,
    signatures: nodeSignatureVerifier(),
    rereads: createRereadBudget(clock),
    fetch: (input, init) => fetch(input, init),
    clientIdSecret: clientIdSecret(configuration.configuration),
  };
}

async function resolve(artifact: ConfigurationArtifact, environment: Environment) {
  const secrets = await openSecretProvider(
    { variable: environment.SVC_SECRET_PROVIDER },
    { env: environmentSecrets(environment) },
  );
  return resolveConfiguration(artifact, { environment, secrets, runtime: "lambda" });
}

/** An instance's `soid` lives as long as the instance. */
function lambdaLogger({ logger }: Configuration, write: (line: string) => unknown): Logger {
  const format = logger.jsonOutput ? jsonLine : textLine;
  return lineLogger({ level: logger.level, format, write, clock: systemClock, soid: uuid(webCryptoRandom) });
}

/** An instance without an authorization server makes no client ids and checks none: it needs no secret. */
function clientIdSecret(configuration: Configuration): Uint8Array {
  return fromBase64url(configuration.oidcProvider?.apiClients.idSecret ?? "") ?? new Uint8Array();
}
