import { abortWith } from "../kernel/abort.ts";
import type { RequestId } from "../protocol/mcp/message.ts";
import type { AcceptedForms } from "./accept.ts";
import { createEventStream, type EventStream, UNBUFFERED } from "./event-stream.ts";
import { type OpenJson, openJson } from "./open-json.ts";
import {
  type Answer,
  answerBody,
  answerText,
  collectAnswer,
  type OpenAnswer,
  type Outlet,
  type Work,
} from "./outlet.ts";
import { createResumableStream, type Resumption } from "./resumable-stream.ts";

export interface ExchangeOptions {
  readonly forms: AcceptedForms;
  /**
   * The answer may take its time, so it becomes a stream where the client takes one, as proxies cut what stays silent. Not
   * before there is something to tell beside it, or five seconds have gone by: an upstream may refuse with an HTTP status
   * (D113).
   */
  readonly isLong: boolean;
  readonly isBatch: boolean;
  /** Aborts when the agent leaves. */
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: what the client has missed of a stream is lost, and what it left is given up. */
  readonly resumption?: Resumption | undefined;
}

/** Milliseconds between two comments; shorter than the idle time of any proxy that is known. */
export const STREAM_KEEP_ALIVE = 15_000;
/** Bytes that wait for a client: several of the largest results. */
const UNREAD_LIMIT = 32 * 1024 * 1024;
/** Milliseconds that a client waits for the head of an answer. */
const HEAD_DELAY = 5_000;

/** Answers the requests of one HTTP request, as JSON or as an event stream that tells of them meanwhile. */
export async function exchange(work: Work, options: ExchangeOptions): Promise<Response> {
  const { forms, isLong } = options;
  if (!forms.stream || (forms.json && !isLong)) return asJson(work, options);
  return forms.json ? asFits(work, options) : asStream(work, options);
}

async function asJson(work: Work, options: ExchangeOptions): Promise<Response> {
  const answers: Answer[] = [];
  const answer = (one: Answer) => void answers.push(one);
  const openAnswer = (id: RequestId) => collectAnswer(id, answer);
  const outlet = { answer, relay: () => undefined, openAnswer, hears: false };
  await work(outlet, options.signal);
  return jsonResponse(answers, options);
}

function asStream(work: Work, options: ExchangeOptions): Response {
  const stream = openStream(options);
  const signal = options.resumption === undefined ? AbortSignal.any([options.signal, stream.gone]) : stream.gone;
  void work(outletOf(stream, options), signal).finally(stream.close);
  return stream.response;
}

/**
 * JSON where there is nothing to tell but the answer: whole, or as it arrives where it is long. A stream as soon as
 * something else is told, and where nothing has come for a while.
 */
function asFits(work: Work, options: ExchangeOptions): Promise<Response> {
  const begun = Promise.withResolvers<Response>();
  const left = new AbortController();
  const forget = abortWith(left, options.signal);
  const answers: Answer[] = [];
  let stream: { readonly events: EventStream; readonly outlet: Outlet } | undefined;
  let json: OpenJson | undefined;
  const begin = (): Outlet => {
    if (stream !== undefined) return stream.outlet;
    clearTimeout(timer);
    // From here on the client may come back.
    if (options.resumption !== undefined) forget();
    const events = openStream(options);
    const outlet = outletOf(events, options);
    stream = { events, outlet };
    events.gone.addEventListener("abort", () => left.abort(events.gone.reason), { once: true });
    answers.forEach(outlet.answer);
    json?.moveTo(() => events.openMessage());
    begun.resolve(events.response);
    return outlet;
  };
  const openAnswer = (id: RequestId): OpenAnswer => {
    if (stream !== undefined || options.isBatch) return begin().openAnswer(id);
    // One that broke off takes nothing more.
    if (json?.hasBegun()) return json;
    json = openJson({
      headers: { ...JSON_HEADERS, ...UNBUFFERED, ...options.headers },
      begun: (response) => {
        clearTimeout(timer);
        begun.resolve(response);
      },
      whole: (text) => void answers.push({ text }),
      left: () => left.abort(),
    });
    return json;
  };
  const timer = setTimeout(() => (json?.isHeld() ? json.begin() : begin()), HEAD_DELAY);
  const outlet: Outlet = {
    answer: (answer) => (stream === undefined ? void answers.push(answer) : stream.outlet.answer(answer)),
    relay: (message) => (json?.hasBegun() ? undefined : begin().relay(message)),
    openAnswer,
    hears: !options.isBatch,
  };
  const finish = async (): Promise<Response> => {
    try {
      await work(outlet, left.signal);
    } finally {
      forget();
      clearTimeout(timer);
      json?.withdraw();
      stream?.events.close();
    }
    return stream?.events.response ?? jsonResponse(answers, options);
  };
  return Promise.race([begun.promise, finish()]);
}

function openStream({ headers, resumption }: ExchangeOptions): EventStream {
  const stream = { keepAlive: STREAM_KEEP_ALIVE, limit: UNREAD_LIMIT, ...(headers && { headers }) };
  return resumption === undefined ? createEventStream(stream) : createResumableStream(stream, resumption);
}

function outletOf({ send, sendText, openMessage }: EventStream, { isBatch }: ExchangeOptions): Outlet {
  const answer = (one: Answer) => ("text" in one ? sendText(one.text) : send(one.message));
  return { answer, relay: send, openAnswer: () => openMessage(), hears: !isBatch };
}

const JSON_HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

function jsonResponse(answers: readonly Answer[], { isBatch, headers }: ExchangeOptions): Response {
  const [first] = answers;
  // All of it was cancelled.
  if (first === undefined) return new Response(null, { status: 202 });
  const body = isBatch ? `[${answers.map(answerText).join(",")}]` : answerBody(first);
  const status = isBatch ? undefined : first.status;
  return new Response(body, {
    ...(status !== undefined && { status }),
    headers: { ...JSON_HEADERS, ...headers },
  });
}
