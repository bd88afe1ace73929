import type { Writable } from "node:stream";
import type {} from "aws-lambda";

/**
 * A copy of `WWW-Authenticate`, which Function URLs rename; the distribution's function makes the header of it again, and
 * needs not know how AWS renames (`cloudformation/challenge-function.yml`).
 */
const CHALLENGE_HEADER = "x-countersign-challenge";

/** What the runtime gives a streaming handler. It lacks some members of a `Writable`, for example those of `pipe`. */
export type ResponseStream = Writable;

/**
 * Sends a response as it comes: status and headers first, then each piece of the body when the runtime can take it.
 * Rejects when the body or the connection fails on the way; the runtime then tells the client that the answer is broken.
 */
export async function sendResponse(response: Response, runtimeStream: ResponseStream): Promise<void> {
  const stream = awslambda.HttpResponseStream.from(runtimeStream, metadataOf(response));
  // The metadata leaves with the first write; without one, an answer without body would have none.
  stream.write("");
  for await (const piece of response.body ?? []) {
    if (stream.destroyed) throw connectionClosed();
    if (!stream.write(piece)) await untilDrained(stream);
  }
  stream.end();
}

function metadataOf(response: Response): Record<string, unknown> {
  const headers = new Headers(response.headers);
  headers.delete("set-cookie");
  // Of an API behind the gateway, for example: it would become a challenge of ours.
  headers.delete(CHALLENGE_HEADER);
  const challenge = headers.get("www-authenticate");
  if (challenge !== null) headers.set(CHALLENGE_HEADER, challenge);
  return {
    statusCode: response.status,
    headers: Object.fromEntries(headers),
    cookies: response.headers.getSetCookie(),
  };
}

function untilDrained(stream: ResponseStream): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      stream.off("drain", drained);
      stream.off("error", failed);
      stream.off("close", closed);
      finish();
    };
    const drained = () => settle(resolve);
    const failed = (error: Error) => settle(() => reject(error));
    const closed = () => settle(() => reject(connectionClosed()));
    stream.once("drain", drained);
    stream.once("error", failed);
    stream.once("close", closed);
  });
}

function connectionClosed(): Error {
  return new Error("the connection closed before the response was complete");
}
