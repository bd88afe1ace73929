import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { Dependencies } from "../../lib/dependencies.ts";
import { guardedFetch } from "../../lib/net/agent-supplied.ts";
import { createClientDocuments } from "../../lib/oauth/clients/kept-documents.ts";
import { webCryptoSignatureVerifier } from "../../lib/oauth/webcrypto-signature-verifier.ts";
import { PORTABLE_OPENERS } from "../../lib/secrets/openers.ts";
import { webSigningCrypto } from "../../lib/tokens/keys/web-signing-crypto.ts";
import type { InstanceLog } from "../edge/instance-log.ts";
import { edgeKeyRing } from "../edge/key-ring.ts";
import { resolveAtEdge } from "../edge/start.ts";
import { measuredAtEdge } from "../edge/telemetry.ts";
import { cloudflareConsoleAssets } from "./console-assets.ts";
import type { WorkerEnv } from "./env.ts";
import { cloudflareSessionChannel } from "./session-channel.ts";
import { cloudflareStores } from "./stores.ts";
import { cloudflareWaitingCalls } from "./waiting-calls.ts";

/** Everything the product needs on Workers. Rejects when it cannot start. */
export async function workerDependencies(
  artifact: ConfigurationArtifact,
  env: WorkerEnv,
  log: InstanceLog,
): Promise<Dependencies> {
  const secrets = { openers: PORTABLE_OPENERS };
  const edge = await resolveAtEdge(artifact, textsOf(env), "workers", log, secrets, ({ clock, logger }) =>
    cloudflareStores(env, clock, logger),
  );
  // The platform connects to public addresses alone, whatever a name resolves to.
  const agentSuppliedFetch = guardedFetch(edge.fetch);
  const dependencies = {
    ...edge,
    keyRing: edgeKeyRing(edge, edge.stores.signingKeys, webSigningCrypto()),
    agentSuppliedFetch,
    clientDocuments: createClientDocuments({ ...edge, agentSuppliedFetch }),
    signatures: webCryptoSignatureVerifier(),
    sessionChannel: cloudflareSessionChannel(env),
    waitingCalls: cloudflareWaitingCalls(env),
    consoleAssets: env.ASSETS === undefined ? undefined : cloudflareConsoleAssets(env.ASSETS),
  };
  return measuredAtEdge(dependencies, { soid: log.soid, openFetch: () => edge.fetch, onlyDeltas: true });
}

/** Variables and secrets are texts among the bindings. */
function textsOf(env: WorkerEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
