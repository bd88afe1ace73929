import { PassThrough } from "node:stream";
import type { LambdaEvent, LambdaHandler } from "../../../infra/aws/handler.ts";
import { DELIMITER } from "./http-integration.ts";

/**
 * `awslambda` as the managed runtime gives it to a function: `HttpResponseStream.from` makes status and headers leave with
 * the first `write`, and never when there is none.
 */
const awslambdaOfRuntime = {
  streamifyResponse: (handler: unknown) => handler,
  HttpResponseStream: {
    from: (stream: PassThrough, metadata: unknown): PassThrough => {
      const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
      const announceAndWrite = (chunk: unknown, ...rest: unknown[]): boolean => {
        Object.assign(stream, { write });
        write(JSON.stringify(metadata));
        write(DELIMITER);
        return write(chunk, ...rest);
      };
      return Object.assign(stream, { write: announceAndWrite });
    },
  },
};

/** Gives this process the global object that Lambda's runtime gives a function. */
export function provideAwslambda(): void {
  Object.assign(globalThis, { awslambda: awslambdaOfRuntime });
}

/**
 * Invokes a handler as the runtime does. The answer's last byte does not wait for the handler to return, but a handler
 * that fails, or returns before it ended its stream, breaks the answer.
 */
export function invokeInProcess(handler: LambdaHandler): (event: LambdaEvent) => AsyncIterable<Uint8Array> {
  return (event) => {
    const stream = new PassThrough();
    handler(event, stream).then(
      () => {
        if (!stream.writableEnded) stream.destroy(new Error("Response stream is not finished."));
      },
      (cause: unknown) => stream.destroy(cause instanceof Error ? cause : new Error(String(cause))),
    );
    return stream;
  };
}
