import { readBody } from "../http/read-body.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { SecretError } from "./provider.ts";

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

export interface SecretHttpOptions {
  /** The provider's scheme, for errors. */
  readonly provider: string;
  readonly fetch: typeof globalThis.fetch;
  /** How long one attempt may take, milliseconds; 10 s unless given. */
  readonly timeout?: number | undefined;
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
  readonly text: string;
}

/** Resolves with any answer, also a refusal; redirects are answers. */
export type SendSecretRequest = (request: SecretRequest) => Promise<SecretAnswer>;

/**
 * Sends requests to a vendor's API. Connections that fail, 429 and 5xx are tried again, twice, after what Retry-After says
 * but five seconds at most. An answer that is late, or larger than 1 MiB, is an error at once.
 * @throws SecretError (from the returned function) that names provider and reference; never the URL, a header or a body
 */
export function secretHttp({ provider, fetch, timeout = ANSWER_TIMEOUT }: SecretHttpOptions): SendSecretRequest {
  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      const answer = await attempted(request, { provider, fetch, timeout, isLast: attempt === RETRIES });
      if (answer !== undefined && (attempt === RETRIES || !isPassing(answer.status))) return answer;
      await wait(waitBefore(attempt, answer?.headers.get("Retry-After")));
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

interface Attempt {
  readonly provider: string;
  readonly fetch: typeof globalThis.fetch;
  readonly timeout: number;
  readonly isLast: boolean;
}

/** Undefined when the connection failed and there is another attempt. */
async function attempted(request: SecretRequest, attempt: Attempt): Promise<SecretAnswer | undefined> {
  const fail = (reason: string, cause?: unknown) => secretFailure(attempt.provider, request.reference, reason, cause);
  try {
    const answer = await answerOf(request, attempt);
    if (answer === undefined) throw fail(TOO_LARGE);
    return answer;
  } catch (error) {
    if (error instanceof SecretError) throw error;
    if (attempt.isLast || isTimeout(error)) throw fail(connectionReason(error, attempt.timeout), error);
    return undefined;
  }
}

async function answerOf(request: SecretRequest, { fetch, timeout }: Attempt): Promise<SecretAnswer | undefined> {
  const { url, method = "GET", headers = {}, body } = request;
  const signal = AbortSignal.timeout(timeout);
  const response = await fetch(url, { method, headers, body: body ?? null, signal, redirect: "manual" });
  const bytes = await readBody(response, ANSWER_LIMIT);
  if (bytes === undefined) return undefined;
  return { status: response.status, headers: response.headers, text: new TextDecoder().decode(bytes) };
}

/** Why a request has no answer, by what `fetch` threw; `timeout` in milliseconds. */
export function connectionReason(error: unknown, timeout: number): string {
  return isTimeout(error) ? `no answer within ${timeout / 1_000} s` : `the connection failed${codeOf(error)}`;
}

function isTimeout(error: unknown): boolean {
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

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
