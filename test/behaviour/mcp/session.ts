import type { RunningRegion } from "../../support/runtime.ts";
import type { Headers } from "../gateway-fixture.ts";
import { SESSION_HEADER } from "./configuration.ts";
import { streamURL } from "./fixture.ts";

/** A session as its client holds it. */
export interface Session {
  readonly id: string;
  /** That every request of it carries, the token included. */
  readonly headers: Headers;
}

export const NEWEST = "2025-11-25";

export function request(method: string, params?: unknown, id: string | number = 1) {
  return { jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) };
}

export function notification(method: string, params?: unknown) {
  return { jsonrpc: "2.0", method, ...(params !== undefined && { params }) };
}

export function initialize(protocolVersion: string = NEWEST) {
  const clientInfo = { name: "test", version: "1" };
  return request("initialize", { protocolVersion, capabilities: {}, clientInfo });
}

/** A POST to the stream path, which takes both forms of an answer unless the headers say otherwise. */
export function post(region: RunningRegion, body: unknown, headers: Headers, signal?: AbortSignal): Promise<Response> {
  return fetch(streamURL(region), {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}

/** A new session of the agent with these headers, initialized. */
export async function openSession(
  region: RunningRegion,
  authorization: Headers,
  protocolVersion: string = NEWEST,
): Promise<Session> {
  const response = await post(region, initialize(protocolVersion), authorization);
  const text = await response.text();
  const id = response.headers.get(SESSION_HEADER);
  if (id === null) throw new Error(`initialize was answered ${response.status} without a session: ${text}`);
  const headers = { ...authorization, [SESSION_HEADER]: id, "mcp-protocol-version": protocolVersion };
  await post(region, notification("notifications/initialized"), headers);
  return { id, headers };
}

/** GET of the stream path: the session's own stream. */
export function listen(region: RunningRegion, headers: Headers, signal?: AbortSignal): Promise<Response> {
  const accept = "text/event-stream";
  return fetch(streamURL(region), { headers: { accept, ...headers }, ...(signal !== undefined && { signal }) });
}

/** DELETE of the stream path: the client ends its session. */
export function terminate(region: RunningRegion, headers: Headers): Promise<Response> {
  return fetch(streamURL(region), { method: "DELETE", headers });
}
