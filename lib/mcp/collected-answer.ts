import { UpstreamFailure } from "../proxy/wire/upstream-failure.ts";
import { errorMessage, INTERNAL_ERROR, RpcError } from "./json-rpc.ts";
import type { RequestId } from "./message.ts";
import type { Answer, OpenAnswer } from "./outlet.ts";

/** Bytes of an answer that is held until it is whole. */
const LIMIT = 16 * 1024 * 1024;

/**
 * An answer that cannot go out before it is whole. Of one that is too long nothing is kept: `write` rejects with an
 * `UpstreamFailure`, and to commit it answers that error.
 */
export function collectAnswer(id: RequestId, answer: (answer: Answer) => void): OpenAnswer {
  let chunks: Uint8Array[] = [];
  let length = 0;
  let isOver = false;
  const end = (): boolean => {
    const isFirst = !isOver;
    isOver = true;
    return isFirst;
  };
  return {
    write: async (chunk) => {
      length += chunk.length;
      if (length <= LIMIT) chunks.push(chunk);
      else {
        chunks = [];
        throw new UpstreamFailure("too_large", TOO_LONG);
      }
    },
    commit: () => {
      if (end())
        answer(
          length > LIMIT
            ? { message: errorMessage(id, new RpcError(INTERNAL_ERROR, TOO_LONG)) }
            : { text: textOf(chunks) },
        );
    },
    withdraw: () => {
      if (end()) chunks = [];
    },
  };
}

const TOO_LONG = `The answer has more than ${LIMIT} bytes, which go out as an event stream alone: accept text/event-stream.`;

function textOf(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}
