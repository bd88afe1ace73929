import type { JsonObject } from "../../json.ts";
import { decodeUtf8 } from "./bytes.ts";
import { parseMessage } from "./envelope.ts";
import { chunksOf, type Incoming, readWhole } from "./incoming.ts";
import { entriesOf, firstNames } from "./json-outline.ts";
import { UpstreamFailure } from "./upstream-failure.ts";

export type UpstreamMessage =
  | {
      readonly kind: "whole";
      readonly text: string;
      /** Of the text, by `JSON.parse`: numbers that no double holds are in the text only. */
      readonly message: JsonObject;
      readonly eventId?: string;
    }
  /**
   * An answer above 64 KiB, read before the next message. That it is JSON and an answer shows when it has ended: a
   * `JsonRewriter` says so.
   */
  | { readonly kind: "long"; readonly chunks: AsyncIterable<Uint8Array>; readonly eventId?: string };

/** Told of each message that is passed over because it is none. */
export type OnMalformed = (failure: UpstreamFailure) => void;

/** Bytes of a message, or a batch of them, that has to be held as a whole. */
export const HELD_LIMIT = 16 * 1024 * 1024;

/**
 * The messages that one text has: itself, or those of the batch that it is (MCP 2025-03-26). Only answers are long; long
 * requests and notifications are held.
 *
 * @throws {UpstreamFailure} `broken_json` where there is no message at all, `too_large`, and what reading throws
 */
export async function* readMessages(
  incoming: Incoming,
  onMalformed: OnMalformed,
): AsyncGenerator<UpstreamMessage, void, undefined> {
  if (incoming.read !== undefined && !isBatch(incoming.head) && isAnswer(incoming.head)) {
    yield { kind: "long", chunks: chunksOf(incoming) };
    return;
  }
  const bytes = await readWhole(incoming, HELD_LIMIT);
  if (isBatch(bytes)) yield* batch(bytes, onMalformed);
  else yield whole(decodeUtf8(bytes));
}

function* batch(bytes: Uint8Array, onMalformed: OnMalformed): Generator<UpstreamMessage, void, undefined> {
  const failures: UpstreamFailure[] = [];
  const entries = entriesOf(bytes);
  for (const entry of entries) {
    const message = attempt(() => whole(entry));
    if (!(message instanceof UpstreamFailure)) yield message;
    else failures.push(message);
  }
  const [first] = failures;
  if (first !== undefined && failures.length === entries.length) throw first;
  failures.forEach(onMalformed);
}

function whole(text: string): UpstreamMessage {
  return { kind: "whole", text, message: parseMessage(text) };
}

function attempt<T>(action: () => T): T | UpstreamFailure {
  try {
    return action();
  } catch (error) {
    if (error instanceof UpstreamFailure) return error;
    throw error;
  }
}

function isBatch(bytes: Uint8Array): boolean {
  return bytes.find((byte) => !WHITE_SPACE.has(byte)) === OPEN_LIST;
}

/** By the first member that tells answers from other messages; where none does, it is taken for one. */
function isAnswer(beginning: Uint8Array): boolean {
  const telling = firstNames(beginning).find((name) => TELLING.has(name));
  return telling === undefined || telling === "result" || telling === "error";
}

const TELLING: ReadonlySet<string> = new Set(["result", "error", "method", "params"]);
const OPEN_LIST = 0x5b;
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
