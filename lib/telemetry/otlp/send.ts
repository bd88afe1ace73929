import { readBody } from "../../http/read-body.ts";
import { failureCode } from "../../net/failure.ts";
import { isRetryable, pause, waitBefore } from "./retry.ts";

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
