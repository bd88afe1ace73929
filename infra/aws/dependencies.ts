import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { Dependencies } from "../../lib/dependencies.ts";
import { resolveAtEdge, type WriteLine } from "../edge/start.ts";
import { nodeSignatureVerifier } from "../node/crypto/signature-verifier.ts";
import { dynamoClient, tableNames } from "./dynamodb/client.ts";
import { dynamoStores } from "./dynamodb/stores.ts";

/** Everything the product needs on Lambda. Rejects when it cannot start. */
export async function lambdaDependencies(
  artifact: ConfigurationArtifact,
  environment: Readonly<Record<string, string | undefined>>,
  write: WriteLine,
): Promise<Dependencies> {
  const edge = await resolveAtEdge(artifact, environment, "lambda", write);
  const { clock, random } = edge;
  const stores = dynamoStores({ client: dynamoClient(environment), tables: tableNames(environment), clock, random });
  return { ...edge, stores, signatures: nodeSignatureVerifier() };
}
