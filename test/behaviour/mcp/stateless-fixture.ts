import type { RunningRegion } from "../../support/runtime.ts";
import { type Headers, STATELESS_META } from "../gateway-fixture.ts";
import { post, request } from "./session.ts";

export const META = STATELESS_META;

export type Params = Readonly<Record<string, unknown>>;

/** A request of the stateless generation. */
export function modern(method: string, params: Params = {}, id: string | number = 1) {
  return request(method, { ...params, _meta: { ...META, ...(params._meta as Params | undefined) } }, id);
}

/** The headers that say what a request's body says. */
export function modernHeaders(method: string, params: Params = {}): Headers {
  const name = method === "resources/read" ? params.uri : (params.taskId ?? params.name);
  return {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
  };
}

/** Sends a request with its headers. */
export function sendModern(
  region: RunningRegion,
  authorization: Headers,
  method: string,
  params: Params = {},
  id: string | number = 1,
): Promise<Response> {
  return post(region, modern(method, params, id), { ...authorization, ...modernHeaders(method, params) });
}
