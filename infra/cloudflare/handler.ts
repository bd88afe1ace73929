import { type Application, application } from "../../functions/routes.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { cannotStart } from "../edge/start.ts";
import { workerDependencies } from "./dependencies.ts";
import type { WorkerEnv } from "./env.ts";

/**
 * The product as a Worker. What the first request builds serves the isolate's later ones; until it is there, each builds
 * its own, because no promise is shared between requests (D29).
 */
export function worker(artifact: ConfigurationArtifact): ExportedHandler<WorkerEnv> {
  let started: Application | undefined;
  return {
    async fetch(request, env, context) {
      const serve = started ?? (await start(artifact, env));
      started ??= serve;
      const response = await serve(request, {
        remoteAddress: request.headers.get("CF-Connecting-IP") ?? undefined,
        waitUntil: (work) => context.waitUntil(work),
      });
      await discardRest(request);
      return response;
    },
  };
}

async function start(artifact: ConfigurationArtifact, env: WorkerEnv): Promise<Application> {
  try {
    return application(await workerDependencies(artifact, env, (line) => console.log(line)));
  } catch (error) {
    return cannotStart(error, (line) => console.error(line));
  }
}

/** What is read of a body that nobody wanted, bytes: more than any that is refused for its size by mistake. */
const DISCARDED = 16 * 1024 * 1024;

/**
 * The runtime cuts the connection of a request whose body was not read when the answer ends, and may lose the answer with
 * it. Nothing is kept of what is read here.
 */
async function discardRest({ body, bodyUsed }: Request): Promise<void> {
  if (body === null || bodyUsed || body.locked) return;
  const reader = body.getReader();
  try {
    let length = 0;
    for (let next = await reader.read(); !next.done && length < DISCARDED; next = await reader.read()) {
      length += next.value.byteLength;
    }
  } catch {
    // The client is gone: nothing is left to discard.
  }
}
