import { readBody } from "../../bridge/read-body.ts";

const LIMIT = 1024 * 1024;

export interface JsonRequest extends Pick<RequestInit, "method" | "headers" | "body"> {
  /** Milliseconds, the body included. */
  readonly timeout: number;
}

export interface JsonResponse {
  readonly status: number;
  /** Undefined when the body is not a JSON object of at most 1 MB. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
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
  return { status: response.status, body: bytes && parseObject(bytes) };
}

function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // Not JSON; the status tells more.
    return undefined;
  }
}
