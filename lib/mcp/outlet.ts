import { concatenated, utf8 } from "../kernel/encoding.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { errorMessage, INTERNAL_ERROR, RpcError } from "../protocol/mcp/json-rpc.ts";
import type { RequestId } from "../protocol/mcp/message.ts";
import type { AnswerWriter, WrittenAnswer } from "../upstream/agent-side.ts";
import { UpstreamFailure } from "../upstream/wire/upstream-failure.ts";

/** The answer to one request: an object, or a whole message that is JSON already. */
export type Answer = ({ readonly message: JsonObject } | { readonly text: string }) & {
  /** Of the HTTP answer, where this is all of it. */
  readonly status?: number | undefined;
};

/** An answer whose bytes come one after another, and which is one when it is committed. */
export type OpenAnswer = AnswerWriter & WrittenAnswer;

/** Where the requests of one HTTP request send what comes of them. */
export interface Outlet {
  readonly answer: (answer: Answer) => void;
  /** A notification or a request goes to the client, in order with everything else; nowhere where the answer is no stream. */
  readonly relay: (message: JsonObject) => void;
  /** `write` rejects with an `UpstreamFailure` where the answer is too long to be collected. */
  readonly openAnswer: (id: RequestId) => OpenAnswer;
  /** Whether requests that are relayed reach the client, which has to know what they belong to: not in batches. */
  readonly hears: boolean;
}

/** Carries out requests of one HTTP request; settles when all are answered. */
export type Work = (outlet: Outlet, signal: AbortSignal) => Promise<void>;

export function answerText(answer: Answer): string {
  return "text" in answer ? answer.text : messageText(answer.message);
}

/** From so many tools on, a list is written as bytes, which the next list of the same tools is copied from. */
const LONG = 50;

/** An answer as the body of an HTTP answer: text, or where it is a long list of tools its bytes. */
export function answerBody(answer: Answer): string | Uint8Array<ArrayBuffer> {
  const written = "text" in answer ? undefined : listMessage(answer.message);
  if (written === undefined || written.tools.length < LONG) return answerText(answer);
  return concatenated([utf8(written.head), listBytes(written.tools), utf8(written.tail)]);
}

/** A message as JSON. A list of tools is most of what the gateway writes, so that each tool is put into words once. */
export function messageText(message: JsonObject): string {
  const written = listMessage(message);
  return written === undefined ? JSON.stringify(message) : written.head + listText(written.tools) + written.tail;
}

interface ListMessage {
  /** JSON before the list and behind it. */
  readonly head: string;
  readonly tools: readonly object[];
  readonly tail: string;
}

/** Undefined: the message is none. */
function listMessage(message: JsonObject): ListMessage | undefined {
  const { result, ...envelope } = message;
  if (!isJsonObject(result) || !Array.isArray(result.tools)) return undefined;
  const { tools, ...others } = result;
  return { head: `${opened(envelope)}"result":${opened(others)}"tools":`, tools, tail: "}}" };
}

/** An object as JSON to which a member is added. */
function opened(object: JsonObject): string {
  const text = JSON.stringify(object);
  return text === "{}" ? "{" : `${text.slice(0, -1)},`;
}

/** Of lists, which are the same arrays as long as they say the same. */
const lists = new WeakMap<readonly object[], Uint8Array>();

function listBytes(tools: readonly object[]): Uint8Array {
  const bytes = lists.get(tools) ?? utf8(listText(tools));
  lists.set(tools, bytes);
  return bytes;
}

function listText(tools: readonly object[]): string {
  return `[${tools.map(toolText).join(",")}]`;
}

/** Texts of tools, which are the same objects in every list. */
const texts = new WeakMap<object, string>();

function toolText(tool: object): string {
  const known = texts.get(tool);
  if (known !== undefined) return known;
  const text = JSON.stringify(tool);
  texts.set(tool, text);
  return text;
}

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

export function textOf(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}
