import { type Application, application } from "../../functions/routes.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
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
      return serve(request, {
        remoteAddress: request.headers.get("CF-Connecting-IP") ?? undefined,
        waitUntil: (work) => context.waitUntil(work),
      });
    },
  };
}

/** A configuration that cannot start answers 503 on every path; only the log says why (D13). */
async function start(artifact: ConfigurationArtifact, env: WorkerEnv): Promise<Application> {
  try {
    return application(await workerDependencies(artifact, env));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const time = new Date().toISOString();
    console.error(JSON.stringify({ time, level: "error", msg: "the configuration cannot start", cause }));
    return async () => Response.json({ status: "down" }, { status: 503, headers: { "Cache-Control": "no-store" } });
  }
}
