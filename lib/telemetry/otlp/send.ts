import { pause } from "../../kernel/timers.ts";
import { failureCode } from "../../net/failure.ts";
import { readBody } from "../../protocol/http/read-body.ts";

/** Bytes of a collector's answer that are read. */
const ANSWER_LIMIT = 64 * 1024;

/** One export as it goes over the wire. */
export interface OtlpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface SendOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds for all attempts together. */
  readonly timeout: number;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

/** What became of an export. `cause` is for the log, `errorType` one of few words. */
export type Delivery =
  | { readonly outcome: "delivered"; readonly answer: Uint8Array }
  | { readonly outcome: "failed"; readonly cause: string; readonly errorType: string };

type Attempt = Delivery & { readonly retryAfter?: string | null };

/**
 * Sends an export (OTLP 1.x over HTTP). A collector that cannot be reached, or asks for it, is tried again as long as
 * there is time; any other refusal is final. Never rejects.
 */
export async function send(request: OtlpRequest, { fetch, timeout, signal }: SendOptions): Promise<Delivery> {
  const deadline = Date.now() + timeout;
  const late = AbortSignal.timeout(timeout);
  const ending = signal === undefined ? late : AbortSignal.any([late, signal]);
  for (let number = 0; ; number++) {
    const attempt = await attempted(request, fetch, ending);
    if (attempt.retryAfter === undefined || ending.aborted) return attempt;
    const wait = waitBefore(number, attempt.retryAfter, Math.random(), Date.now());
    if (Date.now() + wait >= deadline) return attempt;
    await pause(wait, ending);
    if (ending.aborted) return attempt;
  }
}

async function attempted(
  { url, headers, body }: OtlpRequest,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    // The status decides; what an answer that breaks off would have said is missed by nobody.
    const answer = await readBody(response, ANSWER_LIMIT).catch(() => undefined);
    const { status } = response;
    if (response.ok) return { outcome: "delivered", answer: answer ?? new Uint8Array() };
    const failure = failed(`the collector answered ${status}`, String(status));
    return isRetryable(status) ? { ...failure, retryAfter: response.headers.get("retry-after") } : failure;
  } catch (error) {
    if (signal.aborted) return failed("the collector did not answer in time", "timeout");
    return { ...failed(`the collector could not be reached${codeOf(error)}`, "unreachable"), retryAfter: null };
  }
}

function failed(cause: string, errorType: string): Delivery {
  return { outcome: "failed", cause, errorType };
}

/** ` (ECONNREFUSED)`: the code of the error behind a failed fetch, which Node has and Workers have not. */
function codeOf(error: unknown): string {
  const code = failureCode(error);
  return code === undefined ? "" : ` (${code})`;
}

/** Before the first retry; it doubles with each further one, up to the longest, milliseconds. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 5_000;

/** Statuses of a collector that may take the same data later (OTLP 1.x, failures). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function isRetryable(status: number): boolean {
  return RETRYABLE.has(status);
}

/**
 * Milliseconds to wait before another attempt: what the collector asks for (RFC 9110 §10.2.3), else a growing time that
 * varies, so that many senders do not come back together.
 *
 * @param attempt from 0
 * @param jitter 0 to 1
 * @param now milliseconds since the epoch
 */
function waitBefore(attempt: number, retryAfter: string | null, jitter: number, now: number): number {
  const asked = retryAfter === null ? undefined : parseRetryAfter(retryAfter, now);
  return asked ?? Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt) * (0.5 + jitter / 2);
}

/** Seconds or a date; undefined when it is neither. */
function parseRetryAfter(text: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // Only dates of HTTP, which end so: Date.parse takes nearly anything.
  const date = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
