import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { pause } from "../kernel/timers.ts";
import { readBody } from "../protocol/http/read-body.ts";
import { SecretError, type SecretSources } from "./provider.ts";

/** How long an answer may take, milliseconds. */
export const ANSWER_TIMEOUT = 10_000;
/** Bytes of an answer. Vendors' limits for one secret are 64 KiB and less; Vault's is 512 KiB an entry. */
export const ANSWER_LIMIT = 1_048_576;
/** The reason of an answer that is larger. */
export const TOO_LARGE = `its answer is larger than ${ANSWER_LIMIT} bytes`;
const RETRIES = 2;
/** Before the first retry; it doubles, milliseconds. */
const FIRST_WAIT = 200;
/** The longest wait that a vendor's Retry-After is granted, milliseconds. */
const LONGEST_WAIT = 5_000;

export interface SecretHttpOptions extends Pick<SecretSources, "fetch" | "timeout" | "signal"> {
  /** The provider's scheme, for errors. */
  readonly provider: string;
}

export interface SecretRequest {
  readonly url: URL;
  /** GET unless given. */
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Which secret it is for, without angle brackets; absent: it signs in. */
  readonly reference?: string | undefined;
}

export interface SecretAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where it is no text in UTF-8, it has replacement characters. */
  readonly text: string;
}

/** Resolves with any answer, also a refusal; redirects are answers. */
export type SendSecretRequest = (request: SecretRequest) => Promise<SecretAnswer>;

/**
 * Sends requests to a vendor's API. Connections that fail, 429 and 5xx are tried again, twice, after what Retry-After says
 * but five seconds at most. An answer that is late, or larger than 1 MiB, is an error at once, and so is a signal.
 * @throws SecretError (from the returned function) that names provider and reference; never the URL, a header or a body
 */
export function secretHttp(options: SecretHttpOptions): SendSecretRequest {
  return async (request) => {
    refuseUnfit(request, options.provider);
    for (let attempt = 0; ; attempt++) {
      const answer = await attempted(request, options, attempt === RETRIES);
      if (answer !== undefined && (attempt === RETRIES || !isPassing(answer.status))) return answer;
      await pause(waitBefore(attempt, answer?.headers.get("Retry-After")), options.signal);
    }
  };
}

/** A request that did not bring a secret. */
export class SecretFailure extends SecretError {
  readonly provider: string;
  /** Undefined: signing in failed. */
  readonly reference: string | undefined;
  readonly reason: string;

  constructor(provider: string, reference: string | undefined, reason: string, cause?: unknown) {
    const what =
      reference === undefined
        ? `signing in to ${provider} failed`
        : `${provider} has not given the secret <${reference}>`;
    super(`${what}: ${reason}`, { cause });
    this.name = "SecretError";
    this.provider = provider;
    this.reference = reference;
    this.reason = reason;
  }
}

/** The error for a request that did not bring a secret; `reason` goes behind a colon. */
export function secretFailure(
  provider: string,
  reference: string | undefined,
  reason: string,
  cause?: unknown,
): SecretFailure {
  return new SecretFailure(provider, reference, reason, cause);
}

/** `status 403 (AccessDenied)`. A code that is no short word of letters, digits and `_ . -` is left out. */
export function statusText(status: number, code?: unknown): string {
  const isSafe = typeof code === "string" && /^[A-Za-z][\w.-]{0,63}$/.test(code);
  return isSafe ? `status ${status} (${code})` : `status ${status}`;
}

/** The answer as a JSON object; undefined when it is none. */
export function jsonAnswer({ text }: SecretAnswer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What `fetch` says of a header, or of a URL with a user name, that it does not take would quote it. */
function refuseUnfit({ url, headers = {}, reference }: SecretRequest, provider: string): void {
  const unfit = Object.keys(headers).find((name) => !/^[\t\x20-\x7e\x80-\xff]*$/.test(headers[name] ?? ""));
  if (unfit !== undefined) {
    throw secretFailure(provider, reference, `what belongs in the header ${unfit} has characters that cannot be there`);
  }
  if (url.username !== "" || url.password !== "") {
    throw secretFailure(provider, reference, "the address to ask has a user name or a password");
  }
}

/** Undefined when the connection failed and there is another attempt. */
async function attempted(
  request: SecretRequest,
  options: SecretHttpOptions,
  isLast: boolean,
): Promise<SecretAnswer | undefined> {
  const fail = (reason: string, cause?: unknown) => secretFailure(options.provider, request.reference, reason, cause);
  try {
    const answer = await answerOf(request, options);
    if (answer === undefined) throw fail(TOO_LARGE);
    return answer;
  } catch (error) {
    if (error instanceof SecretError) throw error;
    if (isLast || isEnded(error)) throw fail(connectionReason(error, options), error);
    return undefined;
  }
}

async function answerOf(request: SecretRequest, options: SecretHttpOptions): Promise<SecretAnswer | undefined> {
  const { url, method = "GET", headers = {}, body } = request;
  const { fetch } = options;
  const signal = answerSignal(options);
  const response = await fetch(url, { method, headers, body: body ?? null, signal, redirect: "manual" });
  const bytes = await readBody(response, ANSWER_LIMIT);
  if (bytes === undefined) return undefined;
  return { status: response.status, headers: response.headers, bytes, text: new TextDecoder().decode(bytes) };
}

type RequestLimits = Pick<SecretSources, "timeout" | "signal">;

/** Ends a request that takes too long, or that nobody waits for any more. */
export function answerSignal({ timeout = ANSWER_TIMEOUT, signal }: RequestLimits): AbortSignal {
  const late = AbortSignal.timeout(timeout);
  return signal === undefined ? late : AbortSignal.any([late, signal]);
}

/** Why a request has no answer, by what `fetch` threw. */
export function connectionReason(error: unknown, { timeout = ANSWER_TIMEOUT, signal }: RequestLimits): string {
  if (signal?.aborted) return "it is not waited for any more";
  return isEnded(error) ? `no answer within ${timeout / 1_000} s` : `the connection failed${codeOf(error)}`;
}

function isEnded(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
}

/** Passes by itself: worth another attempt. */
function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}

/** ` (ECONNREFUSED)`: the code of the error behind a failed fetch, which Node has and Workers have not. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = isJsonObject(cause) ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? ` (${code})` : "";
}

function waitBefore(attempt: number, retryAfter: string | null | undefined): number {
  const seconds = /^\d{1,6}$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined;
  return Math.min(seconds === undefined ? FIRST_WAIT * 2 ** attempt : seconds * 1_000, LONGEST_WAIT);
}

/** In words what a vendor means by a status. */
type StatusMeanings = Readonly<Record<number, string>>;

/** Why a vendor refused: `it does not exist: status 404 (SecretNotFound)`. The vendor's own text is not passed on. */
export function refusalReason(status: number, code: unknown, meanings: StatusMeanings): string {
  const meaning = meanings[status];
  const told = statusText(status, code);
  return meaning === undefined ? told : `${meaning}: ${told}`;
}

/** The error for an answer that brought no access token. */
export function signInFailure(
  provider: string,
  { status }: SecretAnswer,
  { code, meanings }: { readonly code?: unknown; readonly meanings: StatusMeanings },
): SecretFailure {
  const reason = status === 200 ? "its answer has no access token" : refusalReason(status, code, meanings);
  return secretFailure(provider, undefined, reason);
}

/** Does something, and says what else there is when it fails. */
export async function withHint<T>(hint: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SecretFailure)) throw error;
    throw secretFailure(error.provider, error.reference, `${error.reason}; ${hint}`, error.cause);
  }
}
