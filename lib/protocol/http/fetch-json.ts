import { type JsonObject, parseJsonObject } from "../../kernel/json.ts";
import { readBody } from "./read-body.ts";

const LIMIT = 1024 * 1024;

export interface JsonRequest extends Pick<RequestInit, "method" | "headers" | "body"> {
  /** Milliseconds, the body included. */
  readonly timeout: number;
  /** Ends the exchange early. */
  readonly signal?: AbortSignal | undefined;
  /** Reads the body; absent: as any JSON. */
  readonly parse?: (bytes: Uint8Array) => JsonObject | undefined;
}

export interface JsonResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined when the body is not a JSON object of at most 1 MB. */
  readonly body: JsonObject | undefined;
}

/** One exchange with an address of the configuration. Redirects are not followed. Rejects when there is no answer. */
export async function fetchJson(
  fetch: typeof globalThis.fetch,
  url: string,
  { timeout, signal, parse = parseJsonObject, ...init }: JsonRequest,
): Promise<JsonResponse> {
  const headers = {
    accept: "application/json",
    "user-agent": "Countersign",
    ...(init.headers as Record<string, string>),
  };
  const limit = AbortSignal.timeout(timeout);
  const response = await fetch(url, {
    ...init,
    headers,
    redirect: "manual",
    signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
  });
  const bytes = await readBody(response, LIMIT);
  return { status: response.status, headers: response.headers, body: bytes && parse(bytes) };
}
