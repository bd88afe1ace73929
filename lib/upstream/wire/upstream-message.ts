import { isJsonObject, type JsonObject, jsonExceeds } from "../../kernel/json.ts";
import { readRpcMessage } from "../../protocol/mcp/message.ts";
import { chunksOf, decodeUtf8, type Incoming, readWhole } from "./byte-source.ts";
import { createJsonTokenizer, MAX_DEPTH } from "./json-tokenizer.ts";
import { brokenJson, UpstreamFailure } from "./upstream-failure.ts";

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
  yield* messagesIn(await readWhole(incoming, HELD_LIMIT), onMalformed);
}

/**
 * The same where all of a text is there. Most have one message.
 *
 * @throws {UpstreamFailure} `broken_json`, when it is read
 */
export function messagesIn(bytes: Uint8Array, onMalformed: OnMalformed): AsyncIterable<UpstreamMessage> {
  if (isBatch(bytes)) return inOrder(batch(bytes, onMalformed));
  let isRead = false;
  const next = async (): Promise<IteratorResult<UpstreamMessage, undefined>> => {
    if (isRead) return { done: true, value: undefined };
    isRead = true;
    return { done: false, value: whole(decodeUtf8(bytes)) };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

async function* inOrder<T>(values: Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* values;
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

/**
 * The JSON-RPC message that a text is. What it carries is not looked at.
 *
 * @throws {UpstreamFailure} `broken_json`
 */
function parseMessage(text: string): JsonObject {
  const value = parse(text);
  // Each level takes two characters.
  if (text.length > 2 * MAX_DEPTH && jsonExceeds(value, { depth: MAX_DEPTH + 1 })) {
    throw brokenJson(`it has more than ${MAX_DEPTH} levels`);
  }
  if (!isJsonObject(value) || !isMessage(value)) throw brokenJson(WANTED);
  return value;
}

const WANTED =
  'it is JSON, but no JSON-RPC message: an object with `"jsonrpc": "2.0"` and a `method`, or with an `id` and either a `result` or an `error`, which are objects';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw brokenJson("it is no JSON");
  }
}

function isMessage(value: JsonObject): boolean {
  const message = readRpcMessage(value);
  return message !== undefined && (message.kind !== "response" || isJsonObject(value.result ?? value.error));
}

/** Messages of one batch. */
const BATCH_LIMIT = 1_000;

/** The texts of a list's entries. @throws {UpstreamFailure} `broken_json`, also for more than 1,000 of them and for none */
function entriesOf(list: Uint8Array): readonly string[] {
  const entries: string[] = [];
  let depth = 0;
  let from = 0;
  const begin = (at: number): void => {
    if (depth === 1) from = at;
  };
  const end = (at: number): void => {
    if (depth !== 1) return;
    if (entries.length === BATCH_LIMIT) throw brokenJson(`a batch has more than ${BATCH_LIMIT} messages`);
    entries.push(decodeUtf8(list.subarray(from, at)));
  };
  const tokenizer = createJsonTokenizer({
    begin: (kind, at) => {
      begin(at);
      if (kind === "object" || kind === "list") depth++;
    },
    close: (at) => {
      depth--;
      end(at);
    },
    end,
    ...UNSEEN,
  });
  tokenizer.push(list);
  tokenizer.end();
  if (entries.length === 0) throw brokenJson("a batch has no messages");
  return entries;
}

/** The names of an object's members, as far as its beginning tells. @throws {UpstreamFailure} `broken_json` */
function firstNames(beginning: Uint8Array): readonly string[] {
  const names: string[] = [];
  let depth = 0;
  let from = 0;
  const tokenizer = createJsonTokenizer({
    ...UNSEEN,
    begin: (kind) => {
      if (kind === "object" || kind === "list") depth++;
    },
    close: () => {
      depth--;
    },
    end: () => undefined,
    beginKey: (at) => {
      from = at;
    },
    endKey: (at) => {
      if (depth === 1) names.push(JSON.parse(decodeUtf8(beginning.subarray(from, at))) as string);
    },
  });
  tokenizer.push(beginning);
  return names;
}

const UNSEEN = {
  beginKey: () => undefined,
  endKey: () => undefined,
  comma: () => undefined,
  lineBreak: () => undefined,
};
