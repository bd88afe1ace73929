import type { LambdaFunctionURLEvent, ScheduledEvent } from "aws-lambda";
import { type Application, application, type Maintained } from "../../functions/routes.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { type Background, background } from "../background.ts";
import { type EdgeHeartbeat, edgeHeartbeat } from "../edge/heartbeat.ts";
import type { InstanceLog, WriteLine } from "../edge/instance-log.ts";
import { cannotStart, startingWhenAsked } from "../edge/starting.ts";
import { builtFiles } from "../node/console/built-files.ts";
import { processSource } from "../node/heartbeat.ts";
import { lambdaDependencies } from "./dependencies.ts";
import { type Front, ORIGIN_SECRET_VARIABLE, openFront } from "./front.ts";
import { targetOf, toRequest } from "./request.ts";
import { type ResponseStream, sendResponse } from "./response.ts";
import { sessionMaintenance } from "./session-maintenance.ts";

export interface LambdaOptions {
  readonly artifact: ConfigurationArtifact;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly write: WriteLine;
  /** Folder of the Console's files; absent: there are none. */
  readonly consoleFolder?: string;
}

/** What invokes the function: its URL, and the schedule of `serverless.yml`. */
export type LambdaEvent = LambdaFunctionURLEvent | ScheduledEvent;

/** A function for `awslambda.streamifyResponse`. */
export type LambdaHandler = (event: LambdaEvent, stream: ResponseStream) => Promise<void>;

/**
 * The product as a Lambda function behind a Function URL with response streaming, and on a schedule. Starts at once, so that the instance's
 * initialization pays for it; resolves when it is ready to serve, also when that means to answer 503.
 */
export async function createHandler(options: LambdaOptions): Promise<LambdaHandler> {
  const started = startingWhenAsked<Started>({ clock: systemClock, random: webCryptoRandom, write: options.write });
  await started((log) => start(options, log));
  return async (event, stream) => {
    const { waitUntil, finish } = background();
    try {
      const { answer, tick } = (await started((log) => start(options, log))) ?? {};
      if (!isScheduled(event)) await sendResponse((await answer?.(event, waitUntil)) ?? cannotStart(), stream);
      else {
        await tick?.(event, waitUntil);
        stream.end();
      }
    } finally {
      // The instance freezes when this returns: what was promised to run has to be done by then.
      await finish();
    }
  };
}

/**
 * The members that tell it are EventBridge's own: a request comes inside an envelope that AWS makes, and decides about none
 * of its members.
 */
function isScheduled(event: LambdaEvent): event is ScheduledEvent {
  return "detail-type" in event && event["detail-type"] === "Scheduled Event" && !("requestContext" in event);
}

interface Started {
  readonly answer: (event: LambdaFunctionURLEvent, waitUntil: Background["waitUntil"]) => Promise<Response>;
  readonly tick: (event: ScheduledEvent, waitUntil: Background["waitUntil"]) => Promise<void>;
}

async function start({ artifact, environment, consoleFolder }: LambdaOptions, log: InstanceLog): Promise<Started> {
  for (const secret of platformSecrets(environment)) log.secrets.add(secret);
  const front = openFront(environment);
  const base = await lambdaDependencies(artifact, environment, log);
  const dependencies = { ...base, consoleAssets: consoleFolder === undefined ? undefined : builtFiles(consoleFolder) };
  const { clock, logger, sweepSessions, telemetry } = dependencies;
  const serve = application(dependencies);
  const beats = edgeHeartbeat(dependencies, processSource(environment));
  const chores = [beats.onRequest, sessionMaintenance({ sweep: sweepSessions, clock, logger })];
  return { answer: answers(front, serve, chores), tick: ticks(serve, beats, telemetry?.flush) };
}

/** What no secret provider gives: both origin secrets, and the credentials of the function's role. */
function platformSecrets(environment: LambdaOptions["environment"]): readonly string[] {
  const { AWS_SECRET_ACCESS_KEY = "", AWS_SESSION_TOKEN = "", [ORIGIN_SECRET_VARIABLE]: origin = "" } = environment;
  return [AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, ...origin.split(",")];
}

/** What an instance does with a request, behind its answer, when it is time. */
type Chore = (waitUntil: Background["waitUntil"]) => void;

/** What an instance does once a minute, also without requests. */
function ticks(serve: Maintained, beats: EdgeHeartbeat, deliver: (() => Promise<void>) | undefined): Started["tick"] {
  return async ({ time }, waitUntil) => {
    await serve.upToDate({ waitUntil });
    serve.refresh({ waitUntil });
    await beats.onSchedule({ time: Date.parse(time), mayWait: false });
    await deliver?.();
    await serve.revoke();
    await serve.poll({ waitUntil });
  };
}

function answers(front: Front, serve: Application & Maintained, chores: readonly Chore[]): Started["answer"] {
  return async (event, waitUntil) => {
    const caller = await front.identify(event);
    if (caller === undefined) return plainText(403, "This address is served through its public domain only.");
    const request = toRequest(event, caller.host);
    if (request === undefined) return plainText(400, "The request is not one that this service can read.");
    await serve.upToDate({ waitUntil });
    serve.refresh({ waitUntil });
    for (const chore of chores) chore(waitUntil);
    return serve(request, { remoteAddress: caller.remoteAddress, waitUntil, target: targetOf(event) });
  };
}

function plainText(status: number, text: string): Response {
  return new Response(`${text}\n`, {
    status,
    headers: {
      "Cache-Control": "no-store",
      "Content-Type": "text/plain; charset=utf-8",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
