import type { Dependencies } from "../../lib/application/dependencies.ts";
import { createClientDocuments } from "../../lib/authorization-server/clients/client-documents.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { proxiesOf } from "../../lib/net/proxies.ts";
import { HOSTED_OPENERS } from "../../lib/secrets/hosted-openers.ts";
import { PORTABLE_OPENERS } from "../../lib/secrets/openers.ts";
import type { InstanceLog } from "../edge/instance-log.ts";
import { edgeKeyRing } from "../edge/key-ring.ts";
import { resolveAtEdge } from "../edge/start.ts";
import { measuredAtEdge } from "../edge/telemetry.ts";
import { nodeSignatureVerifier } from "../node/crypto/signature-verifier.ts";
import { nodeSigningCrypto } from "../node/crypto/signing-crypto.ts";
import { agentSuppliedFetch, publicFetch } from "../node/net/agent-supplied.ts";
import { configuredOutbound } from "../node/net/configured-outbound.ts";
import { configuredForward } from "../node/net/forward.ts";
import { openFetch, outboundFetch } from "../node/net/open-fetch.ts";
import { collectorFetch } from "../node/telemetry/collector-fetch.ts";
import { processObservations } from "../node/telemetry/process-metrics.ts";
import { dynamoClient, tableNames } from "./dynamodb/client.ts";
import { type DynamoStores, dynamoStores } from "./dynamodb/stores.ts";

/** Everything the product needs, and what the entry itself does with the stores. */
export interface LambdaDependencies extends Dependencies, Pick<DynamoStores, "sweepSessions"> {}

/** Everything the product needs on Lambda. Rejects when it cannot start. */
export async function lambdaDependencies(
  artifact: ConfigurationArtifact,
  environment: Readonly<Record<string, string | undefined>>,
  log: InstanceLog,
): Promise<LambdaDependencies> {
  const secrets = {
    openers: { ...PORTABLE_OPENERS, ...HOSTED_OPENERS },
    fetch: outboundFetch(environment),
    openFetch: openFetch(environment),
  };
  const edge = await resolveAtEdge(
    artifact,
    environment,
    "lambda",
    log,
    secrets,
    ({ clock, random, logger, auditRetention }) =>
      dynamoStores({
        ...{ client: dynamoClient(environment), tables: tableNames(environment), clock, random, logger },
        ...(auditRetention !== undefined && { auditRetention }),
      }),
  );
  const { stores } = edge;
  const { tls } = edge.configuration().configuration;
  const connecting = { tls, environment, logger: edge.logger };
  const outbound = configuredOutbound(connecting);
  const supplied = agentSuppliedFetch();
  const dependencies = {
    ...edge,
    keyRing: edgeKeyRing(edge, stores.signingKeys, nodeSigningCrypto()),
    signatures: nodeSignatureVerifier(),
    fetch: outbound(),
    outbound,
    forward: configuredForward(connecting),
    agentSuppliedFetch: supplied,
    publicFetch: publicFetch({ proxies: proxiesOf(environment) }),
    clientDocuments: createClientDocuments({ ...edge, agentSuppliedFetch: supplied }),
  };
  const measured = await measuredAtEdge(dependencies, {
    soid: log.soid,
    openFetch: collectorFetch({ fetch: outbound(), openFetch: openFetch(environment) }),
    observations: processObservations(),
  });
  return { ...measured, sweepSessions: stores.sweepSessions };
}
