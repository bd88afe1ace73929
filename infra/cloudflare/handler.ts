import { type Application, application, type Maintained } from "../../functions/routes.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { UNKNOWN } from "../../lib/application/heartbeat/source.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import type { ForwardedAnswer } from "../../lib/reverse-proxy/forward.ts";
import type { ConnectionRecord } from "../../lib/stores/connections.ts";
import { type EdgeHeartbeat, edgeHeartbeat } from "../edge/heartbeat.ts";
import type { InstanceLog } from "../edge/instance-log.ts";
import { cannotStart, startingWhenAsked } from "../edge/starting.ts";
import { workerDependencies } from "./dependencies.ts";
import type { WorkerEnv } from "./env.ts";
import { registryOf } from "./objects.ts";
import { acceptSocket } from "./sockets.ts";

/** The product as a Worker, for those who need nothing else of it. */
export function worker(artifact: ConfigurationArtifact): ExportedHandler<WorkerEnv> {
  return product(artifact).handler;
}

export interface ProductWorker {
  readonly handler: ExportedHandler<WorkerEnv>;
  /** For the alarms of token shards: as `Maintained` has it. False also where the instance cannot start. */
  readonly revoke: (
    records: readonly ConnectionRecord[],
    env: WorkerEnv,
    context: Pick<ExecutionContext, "waitUntil">,
  ) => Promise<boolean>;
}

/**
 * The product as a Worker. What the first request builds serves the isolate's later ones; until it is there, each builds
 * its own, because no promise is shared between requests (D29).
 */
export function product(artifact: ConfigurationArtifact): ProductWorker {
  const started = startingWhenAsked<Started>({
    clock: systemClock,
    random: webCryptoRandom,
    write: (line) => console.log(line),
  });
  const handler: ExportedHandler<WorkerEnv> = {
    async fetch(request, env, context) {
      const { serve, beats, retain } = (await started((log) => start(artifact, env, log))) ?? {};
      const waitUntil = (work: Promise<unknown>) => context.waitUntil(work);
      await serve?.upToDate({ waitUntil });
      serve?.refresh({ waitUntil });
      beats?.onRequest(waitUntil);
      retain?.(waitUntil);
      const remoteAddress = request.headers.get("CF-Connecting-IP") ?? undefined;
      const host = { remoteAddress, waitUntil, target: targetOf(request), passesOn, acceptSocket };
      const response = (await serve?.(request, host)) ?? cannotStart();
      await discardRest(request);
      return response;
    },
    /** The Cron trigger of `wrangler.toml`, which no request can be. Waiting for a beat costs no CPU time, and so nothing. */
    async scheduled({ scheduledTime }, env, context) {
      const { serve, beats, deliver } = (await started((log) => start(artifact, env, log))) ?? {};
      const waitUntil = (work: Promise<unknown>) => context.waitUntil(work);
      await serve?.upToDate({ waitUntil });
      serve?.refresh({ waitUntil });
      await Promise.all([
        beats?.onSchedule({ time: scheduledTime, mayWait: true }),
        deliver?.(),
        serve?.poll({ waitUntil }),
      ]);
    },
  };
  return {
    handler,
    revoke: async (records, env, context) => {
      const { serve } = (await started((log) => start(artifact, env, log))) ?? {};
      await serve?.upToDate({ waitUntil: (work) => context.waitUntil(work) });
      return serve?.revoke(records) ?? false;
    },
  };
}

interface Started {
  readonly serve: Application & Maintained;
  readonly beats: EdgeHeartbeat;
  readonly retain: (waitUntil: (work: Promise<unknown>) => void) => void;
  /** Delivers telemetry that is due. */
  readonly deliver: (() => Promise<void>) | undefined;
}

async function start(artifact: ConfigurationArtifact, env: WorkerEnv, log: InstanceLog): Promise<Started> {
  const dependencies = await workerDependencies(artifact, env, log);
  return {
    serve: application(dependencies),
    beats: edgeHeartbeat(dependencies, UNKNOWN),
    retain: auditRetention(dependencies, env),
    deliver: dependencies.telemetry?.flush,
  };
}

/** Tells the registry once how long audit records are kept: behind the first answer, and after a failure the next one. */
function auditRetention({ configuration, logger }: Dependencies, env: WorkerEnv): Started["retain"] {
  let told: number | null | undefined;
  return (waitUntil) => {
    // Also that they are kept for good: another one may have been told before.
    const retention = configuration().configuration.auditRetention ?? null;
    if (retention === told) return;
    told = retention;
    const tell = registryOf(env)
      .retainAudit(retention)
      .catch((cause: unknown) => {
        told = undefined;
        logger.warn("housekeeping failed", { cause: causeOf(cause) });
      });
    waitUntil(tell);
  };
}

/** The runtime leaves what follows the authority as it came, until somebody parses it. */
function targetOf({ url }: Request): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/, "") || "/";
}

/**
 * A stream that was watched on its way is none of the runtime's own, and would be sent in chunks although its length is known. Of
 * an encoded one it is not: the runtime may decode and encode it.
 */
function passesOn({ status, headers, body }: ForwardedAnswer): Response {
  const length = headers.get("Content-Length");
  const isKnown = length !== null && /^\d{1,15}$/.test(length) && !headers.has("Content-Encoding");
  const sent = body !== null && isKnown ? body.pipeThrough(new FixedLengthStream(Number(length))) : body;
  return new Response(sent, { status, headers });
}

/** What is read of a body that nobody wanted, bytes: more than any that is refused for its size by mistake. */
const DISCARDED = 16 * 1024 * 1024;

/**
 * The runtime cuts the connection of a request whose body was not read when the answer ends, and may lose the answer with
 * it. Nothing is kept of what is read here.
 */
async function discardRest({ body }: Request): Promise<void> {
  if (body === null || body.locked) return;
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
