import type { LambdaFunctionURLEvent } from "aws-lambda";
import { type Application, application } from "../../functions/routes.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { backgroundWork } from "./background-work.ts";
import { lambdaDependencies } from "./dependencies.ts";
import { type Front, openFront } from "./front.ts";
import { toRequest } from "./request.ts";
import { type ResponseStream, sendResponse } from "./response.ts";

export interface LambdaOptions {
  readonly artifact: ConfigurationArtifact;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Receives each log line without its line break. */
  readonly write: (line: string) => unknown;
}

/** A function for `awslambda.streamifyResponse`. */
export type LambdaHandler = (event: LambdaFunctionURLEvent, stream: ResponseStream) => Promise<void>;

/**
 * The product as a Lambda function behind a Function URL with response streaming. Starts at once, so that the instance's
 * initialization pays for it; resolves when it is ready to serve, also when that means to answer 503.
 */
export async function createHandler(options: LambdaOptions): Promise<LambdaHandler> {
  const { serve, front } = await start(options);
  return async (event, stream) => {
    const work = backgroundWork();
    try {
      await sendResponse(await answer(event, serve, front, work.waitUntil), stream);
    } finally {
      // The instance freezes when this returns: what was promised to run has to be done by then.
      await work.settled();
    }
  };
}

interface Started {
  readonly serve: Application;
  readonly front: Front;
}

/** A configuration that cannot start answers 503 on every path; only the log says why (D13). */
async function start({ artifact, environment, write }: LambdaOptions): Promise<Started> {
  try {
    const front = openFront(environment);
    return { serve: application(await lambdaDependencies(artifact, environment, write)), front };
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const time = new Date().toISOString();
    write(JSON.stringify({ time, level: "error", msg: "the configuration cannot start", cause }));
    const down = () => Response.json({ status: "down" }, { status: 503, headers: { "Cache-Control": "no-store" } });
    return { serve: async () => down(), front: openFront({}) };
  }
}

async function answer(
  event: LambdaFunctionURLEvent,
  serve: Application,
  front: Front,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<Response> {
  const caller = front.identify(event);
  if (caller === undefined) return plainText(403, "This address is served through its public domain only.");
  const request = toRequest(event, caller.host);
  if (request === undefined) return plainText(400, "The request is not one that this service can read.");
  return serve(request, { remoteAddress: caller.remoteAddress, waitUntil });
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
