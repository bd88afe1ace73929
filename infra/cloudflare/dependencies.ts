import type { Dependencies } from "../../lib/application/dependencies.ts";
import { createClientDocuments } from "../../lib/authorization-server/clients/client-documents.ts";
import { webSigningCrypto } from "../../lib/authorization-server/keys/signing-crypto.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { ConsoleAssets } from "../../lib/console/assets.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { guardedFetch, guardedRequests } from "../../lib/net/agent-supplied.ts";
import { webCryptoSignatureVerifier } from "../../lib/protocol/oauth/webcrypto-signature-verifier.ts";
import { PORTABLE_OPENERS } from "../../lib/secrets/openers.ts";
import { remoteWaitingCalls } from "../../lib/upstream/waiting/remote/remote-calls.ts";
import type { WaitingCalls } from "../../lib/upstream/waiting/waiting-calls.ts";
import type { InstanceLog } from "../edge/instance-log.ts";
import { edgeKeyRing } from "../edge/key-ring.ts";
import { resolveAtEdge } from "../edge/start.ts";
import { measuredAtEdge } from "../edge/telemetry.ts";
import type { StateBindings, WorkerEnv } from "./env.ts";
import { forward } from "./forward.ts";
import { upstreamCallStub } from "./objects.ts";
import { cloudflareSessionChannel } from "./session-channel.ts";
import { cloudflareStores } from "./stores.ts";

/** Everything the product needs on Workers. Rejects when it cannot start. */
export async function workerDependencies(
  artifact: ConfigurationArtifact,
  env: WorkerEnv,
  log: InstanceLog,
): Promise<Dependencies> {
  // What AWS Secrets Manager is asked with, where the provider's URL does not hold it.
  const { AWS_SECRET_ACCESS_KEY = "", AWS_SESSION_TOKEN = "" } = textsOf(env);
  for (const secret of [AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN]) log.secrets.add(secret);
  const secrets = { openers: PORTABLE_OPENERS };
  const edge = await resolveAtEdge(artifact, textsOf(env), "workers", log, secrets, ({ clock, logger }) =>
    cloudflareStores(env, clock, logger),
  );
  // The platform connects to public addresses alone, whatever a name resolves to.
  const agentSuppliedFetch = guardedFetch(edge.fetch);
  const dependencies = {
    ...edge,
    keyRing: edgeKeyRing(edge, edge.stores.signingKeys, webSigningCrypto()),
    forward: (tls?: string) => {
      // Refuses an entry that connections of this runtime cannot have.
      edge.outbound(tls);
      return forward;
    },
    agentSuppliedFetch,
    publicFetch: guardedRequests(edge.fetch),
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

/** The Console's files as `wrangler deploy` uploads them. The platform compresses what leaves it, and weakens tags then. */
function cloudflareConsoleAssets(assets: Fetcher): ConsoleAssets {
  return {
    read: async (path) => {
      const { status, body, headers } = await assets.fetch(`https://assets.invalid/${path}`);
      if (status !== 200 || body === null) {
        await body?.cancel();
        return undefined;
      }
      return { body, etag: headers.get("ETag") ?? undefined, varies: false };
    },
  };
}

/** Each call that an upstream may ask in has an object of its own. */
function cloudflareWaitingCalls(env: StateBindings): WaitingCalls {
  return remoteWaitingCalls(webCryptoRandom, async (name, order, signal) => {
    const { ok, status, body } = await upstreamCallStub(env, name).fetch(ORDER, {
      method: "POST",
      body: order,
      signal,
    });
    if (!ok || body === null) throw new Error(`The object of a call answered with ${status}.`);
    return body;
  });
}

/** The object looks at neither host nor path. */
const ORDER = "https://upstream-call/";
