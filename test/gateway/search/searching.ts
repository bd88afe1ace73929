import { expect } from "vitest";
import { type RpcAnswer, rpc, textOf } from "../../behaviour/gateway-fixture.ts";
import type { StartedGateway } from "../started.ts";

/** Tools by search for every caller. */
export const ALWAYS = { search: "on", threshold: 150 } as const;

export interface Searching {
  /** The answer to one request of the session generation. */
  send(method: string, params: unknown): Promise<RpcAnswer>;
  /** The HTTP answer to `call_tool`. */
  wrapped(name: string, given: unknown, more?: unknown): Promise<Response>;
  /** What a tool of the gateway's own says. */
  text(name: string, given: unknown): Promise<string>;
  names(): Promise<readonly string[]>;
  found(query: string): Promise<readonly string[]>;
}

/** An agent with this token. */
export function searching(gateway: () => StartedGateway, token: () => string): Searching {
  const post = (method: string, params: unknown) =>
    gateway().send("/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${token()}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  const send = async (method: string, params: unknown) => {
    const response = await post(method, params);
    expect(response.status).toBe(200);
    return rpc(response);
  };
  return {
    send,
    wrapped: (name, given, more = {}) =>
      post("tools/call", { name: "call_tool", arguments: { name, arguments: given }, ...(more as object) }),
    text: async (name, given) => textOf(await send("tools/call", { name, arguments: given })),
    names: async () => {
      const { result } = await send("tools/list", {});
      return namesOf(result);
    },
    found: async (query) => {
      const { result } = await send("tools/call", { name: "search_tools", arguments: { query } });
      return namesOf(result?.structuredContent);
    },
  };
}

function namesOf(holder: unknown): readonly string[] {
  const { tools } = (holder ?? {}) as { readonly tools?: readonly { readonly name: string }[] };
  return (tools ?? expect.fail()).map(({ name }) => name);
}
