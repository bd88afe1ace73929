import type { JsonObject } from "../json.ts";
import type { AcceptedForms } from "./accept.ts";
import type { Notify } from "./caller.ts";
import { createEventStream } from "./event-stream.ts";
import { notificationMessage } from "./json-rpc.ts";
import { messageText } from "./message-text.ts";

/** Carries out requests of one HTTP request and hands over each answer; settles when all are answered. */
export type Work = (answer: (message: JsonObject) => void, notify: Notify, signal: AbortSignal) => Promise<void>;

export interface ExchangeOptions {
  readonly forms: AcceptedForms;
  /** The answer takes its time, so it is a stream where the client takes one: proxies cut what stays silent. */
  readonly isLong: boolean;
  readonly isBatch: boolean;
  /** Aborts when the agent leaves. */
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Milliseconds between two comments; shorter than the idle time of any proxy that is known. */
export const STREAM_KEEP_ALIVE = 15_000;
/** Bytes that wait for a client: several of the largest results. */
const UNREAD_LIMIT = 32 * 1024 * 1024;

/** Answers the requests of one HTTP request, as JSON or as an event stream that tells of them meanwhile. */
export async function exchange(work: Work, options: ExchangeOptions): Promise<Response> {
  const { forms, isLong } = options;
  const isStream = forms.stream && (isLong || !forms.json);
  return isStream ? asStream(work, options) : asJson(work, options);
}

async function asJson(work: Work, { isBatch, signal, headers }: ExchangeOptions): Promise<Response> {
  const answers: JsonObject[] = [];
  await work(
    (message) => answers.push(message),
    () => undefined,
    signal,
  );
  // All of it was cancelled.
  if (answers.length === 0) return new Response(null, { status: 202 });
  const texts = answers.map(messageText);
  const body = isBatch ? `[${texts.join(",")}]` : texts[0];
  return new Response(body, {
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}

function asStream(work: Work, { signal, headers }: ExchangeOptions): Response {
  const stream = createEventStream({
    keepAlive: STREAM_KEEP_ALIVE,
    limit: UNREAD_LIMIT,
    ...(headers !== undefined && { headers }),
  });
  const notify: Notify = (method, params) => stream.send(notificationMessage(method, params));
  void work(stream.send, notify, AbortSignal.any([signal, stream.gone])).finally(stream.close);
  return stream.response;
}
