import { isJsonObject, type JsonObject, parseJsonObject } from "../../kernel/json.ts";
import { essence, isJson } from "../../protocol/http/media-type.ts";
import { type ByteSource, begin, bytesOf, type Incoming, withoutMark } from "./byte-source.ts";
import { type EventSource, type Resumption, readEventSource } from "./event-source.ts";
import { UpstreamFailure } from "./upstream-failure.ts";
import { messagesIn, type OnMalformed, readMessages, type UpstreamMessage } from "./upstream-message.ts";
import type { WireTarget } from "./wire-target.ts";

export type WireAnswer = Messages | Accepted | Refused;

/** 2xx with a body. */
export interface Messages {
  readonly kind: "messages";
  readonly status: number;
  readonly headers: Headers;
  /**
   * Read once. Whoever leaves early ends the exchange; whoever does not read at all aborts the target's signal. Throws an
   * `UpstreamFailure`: `broken_json`, `broken_off`, `too_large`, `aborted`.
   */
  readonly messages: AsyncIterable<UpstreamMessage>;
  /** Of an event stream: where it goes on, by what was read of it. */
  readonly resumption?: () => Resumption;
}

/** 202, 204, or another success without a body. */
export interface Accepted {
  readonly kind: "accepted";
  readonly headers: Headers;
}

/**
 * Reads as much of an answer as it takes to tell what it is.
 *
 * @throws {UpstreamFailure} `redirect`, `not_mcp`, `broken_off`, `aborted`
 */
export async function readAnswer(response: Response, { signal, onMalformed }: WireTarget): Promise<WireAnswer> {
  const { status, headers } = response;
  if (status < 200 || (status >= 300 && status < 400)) throw await redirected(response);
  const bytes = bytesOf(response, signal);
  if (bytes === null) return status >= 400 ? { kind: "refused", status, headers } : { kind: "accepted", headers };
  if (status >= 400) return readRefusal({ status, headers }, bytes);
  if (WITHOUT_CONTENT.has(status)) {
    await bytes.cancel();
    return { kind: "accepted", headers };
  }
  const type = essence(headers.get("content-type"));
  const passOver = onMalformed ?? ignore;
  if (type === "text/event-stream") {
    const source = readEventSource(bytes);
    const messages = closing(messagesOf(source, passOver), bytes);
    return { kind: "messages", status, headers, messages, resumption: source.resumption };
  }
  const text = await begin(withoutMark(bytes), isJson(type) ? HEAD_LIMIT : 0);
  if (text.head.length === 0) return { kind: "accepted", headers };
  if (isJson(type)) {
    const messages =
      text.read === undefined ? messagesIn(text.head, passOver) : closing(readMessages(text, passOver), bytes);
    return { kind: "messages", status, headers, messages };
  }
  await bytes.cancel();
  throw notMcp(type);
}

/** RFC 9110 §15.3: success whose body, if there is one, says nothing. */
const WITHOUT_CONTENT: ReadonlySet<number> = new Set([202, 204, 205]);
/** Bytes of a body that are held to look at them as a whole. */
const HEAD_LIMIT = 64 * 1024;

function ignore(): void {
  // Nobody wants to know.
}

/** One malformed message does not cost the others: its event is passed over. So are events of types that MCP does not have. */
export async function* messagesOf({ events }: EventSource, onMalformed: OnMalformed): AsyncGenerator<UpstreamMessage> {
  for await (const { type, id, data } of events) {
    if (type !== "message" || isEmpty(data)) continue;
    try {
      const eventId = id === undefined ? {} : { eventId: id };
      for await (const message of readMessages(data, onMalformed)) yield { ...message, ...eventId };
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || error.reason !== "broken_json") throw error;
      onMalformed(error);
    }
  }
}

/** An event that only says its id (MCP 2025-11-25, transports: it lets the client come back). */
function isEmpty({ head }: Incoming): boolean {
  return head.length === 0;
}

/** Ends the exchange when its reader leaves, or when nothing follows. */
function closing(messages: AsyncGenerator<UpstreamMessage>, bytes: ByteSource): AsyncIterable<UpstreamMessage> {
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    // In this order: the generator may be waiting for bytes.
    await bytes.cancel();
    await messages.return(undefined);
    return { done: true, value: undefined };
  };
  const next = async (): Promise<IteratorResult<UpstreamMessage, undefined>> => {
    try {
      const result = await messages.next();
      return result.done ? await end() : result;
    } catch (error) {
      await end();
      throw error;
    }
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}

async function redirected({ status, body }: Response): Promise<UpstreamFailure> {
  // What is thrown away cannot fail any more.
  await body?.cancel().catch(() => undefined);
  const said = status === 0 ? "a redirect" : `HTTP ${status}`;
  return new UpstreamFailure(
    "redirect",
    `The upstream answered with ${said}, and redirects are not followed: its URL has to be that of the MCP endpoint itself.`,
  );
}

function notMcp(type: string): UpstreamFailure {
  const named = /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/.test(type)
    ? `content of type ${type}`
    : "content of no type";
  return new UpstreamFailure(
    "not_mcp",
    `The upstream answered with ${named}. An MCP endpoint answers with application/json or text/event-stream: is its URL right?`,
  );
}

/** HTTP status 400 and above. */
export interface Refused {
  readonly kind: "refused";
  readonly status: number;
  readonly headers: Headers;
  /** As the upstream wrote it. */
  readonly error?: RpcError;
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Bytes of a body that may have an error. */
const LIMIT = 64 * 1024;

/** A refusal, with the JSON-RPC error that its body has. @throws {UpstreamFailure} `aborted` */
async function readRefusal(
  { status, headers }: Pick<Response, "status" | "headers">,
  bytes: ByteSource,
): Promise<Refused> {
  const error = await readError(bytes);
  await bytes.cancel();
  return { kind: "refused", status, headers, ...(error !== undefined && { error }) };
}

async function readError(bytes: ByteSource): Promise<RpcError | undefined> {
  try {
    const { head, read } = await begin(withoutMark(bytes), LIMIT);
    return read === undefined ? errorIn(parseJsonObject(head)) : undefined;
  } catch (error) {
    // The status says enough where the body breaks off.
    if (error instanceof UpstreamFailure && error.reason === "broken_off") return undefined;
    throw error;
  }
}

function errorIn(body: JsonObject | undefined): RpcError | undefined {
  if (!isJsonObject(body?.error)) return undefined;
  const { code, message, data } = body.error;
  if (!Number.isSafeInteger(code) || typeof message !== "string") return undefined;
  return { code: code as number, message, ...(data !== undefined && { data }) };
}
