import { readBody } from "../../http/read-body.ts";
import { type JsonObject, parseJsonObject } from "../../json.ts";

const LIMIT = 1024 * 1024;

export interface JsonRequest extends Pick<RequestInit, "method" | "headers" | "body"> {
  /** Milliseconds, the body included. */
  readonly timeout: number;
}

export interface JsonResponse {
  readonly status: number;
  /** Undefined when the body is not a JSON object of at most 1 MB. */
  readonly body: JsonObject | undefined;
}

/** One exchange with an address of the configuration. Redirects are not followed. Rejects when there is no answer. */
export async function fetchJson(
  fetch: typeof globalThis.fetch,
  url: string,
  { timeout, ...init }: JsonRequest,
): Promise<JsonResponse> {
  const headers = {
    accept: "application/json",
    "user-agent": "Countersign",
    ...(init.headers as Record<string, string>),
  };
  const response = await fetch(url, { ...init, headers, redirect: "manual", signal: AbortSignal.timeout(timeout) });
  const bytes = await readBody(response, LIMIT);
  return { status: response.status, body: bytes && parseJsonObject(bytes) };
}
