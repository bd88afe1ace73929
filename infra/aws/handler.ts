import type { LambdaFunctionURLEvent } from "aws-lambda";
import { type Application, application } from "../../functions/routes.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { type Background, background } from "../background.ts";
import { cannotStart, type WriteLine } from "../edge/start.ts";
import { lambdaDependencies } from "./dependencies.ts";
import { type Front, openFront } from "./front.ts";
import { toRequest } from "./request.ts";
import { type ResponseStream, sendResponse } from "./response.ts";

export interface LambdaOptions {
  readonly artifact: ConfigurationArtifact;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly write: WriteLine;
}

/** A function for `awslambda.streamifyResponse`. */
export type LambdaHandler = (event: LambdaFunctionURLEvent, stream: ResponseStream) => Promise<void>;

/**
 * The product as a Lambda function behind a Function URL with response streaming. Starts at once, so that the instance's
 * initialization pays for it; resolves when it is ready to serve, also when that means to answer 503.
 */
export async function createHandler(options: LambdaOptions): Promise<LambdaHandler> {
  const answer = await start(options);
  return async (event, stream) => {
    const { waitUntil, finish } = background();
    try {
      await sendResponse(await answer(event, waitUntil), stream);
    } finally {
      // The instance freezes when this returns: what was promised to run has to be done by then.
      await finish();
    }
  };
}

type Answer = (event: LambdaFunctionURLEvent, waitUntil: Background["waitUntil"]) => Promise<Response>;

async function start({ artifact, environment, write }: LambdaOptions): Promise<Answer> {
  try {
    const front = openFront(environment);
    return answers(front, application(await lambdaDependencies(artifact, environment, write)));
  } catch (error) {
    return cannotStart(error, write);
  }
}

function answers(front: Front, serve: Application): Answer {
  return async (event, waitUntil) => {
    const caller = await front.identify(event);
    if (caller === undefined) return plainText(403, "This address is served through its public domain only.");
    const request = toRequest(event, caller.host);
    if (request === undefined) return plainText(400, "The request is not one that this service can read.");
    return serve(request, { remoteAddress: caller.remoteAddress, waitUntil });
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
