import type { RunningRegion } from "../../support/runtime.ts";
import type { Headers } from "../gateway-fixture.ts";
import { SESSION_HEADER } from "../mcp/configuration.ts";
import { answerTo, type Message } from "../mcp/events.ts";
import { notification, post, request } from "../mcp/session.ts";
import { modern, modernHeaders, type Params } from "../mcp/stateless-fixture.ts";

export type Generation = "session" | "stateless";

/** An agent that speaks one generation of MCP, and can ask its person. */
export interface ProxiedAgent {
  /** That every request carries. */
  readonly headers: Headers;
  send(method: string, params?: Params, more?: Headers): Promise<Response>;
  /** The answer to a request. */
  ask(method: string, params?: Params): Promise<Message>;
  call(tool: string, given?: Params, more?: Params): Promise<Message>;
  /** The text of a call's result. */
  said(tool: string, given?: Params): Promise<string>;
  names(list: "tools" | "prompts" | "resources"): Promise<readonly string[]>;
}

const CAPABILITIES = { elicitation: {} };

export async function openAgent(
  region: RunningRegion,
  authorization: Headers,
  generation: Generation,
): Promise<ProxiedAgent> {
  if (generation === "stateless")
    return talking(authorization, (...asked) => sendAlone(region, authorization, ...asked));
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: CAPABILITIES, clientInfo };
  const begun = await post(region, request("initialize", params), authorization);
  await begun.text();
  const headers = {
    ...authorization,
    [SESSION_HEADER]: begun.headers.get(SESSION_HEADER) ?? "",
    "mcp-protocol-version": "2025-11-25",
  };
  await post(region, notification("notifications/initialized"), headers);
  return talking(headers, (method, given, more) => post(region, request(method, given), { ...headers, ...more }));
}

function sendAlone(region: RunningRegion, authorization: Headers, method: string, params: Params, more: Headers) {
  const _meta = { ...(params._meta as Params), "io.modelcontextprotocol/clientCapabilities": CAPABILITIES };
  const headers = { ...authorization, ...modernHeaders(method, params), ...more };
  return post(region, modern(method, { ...params, _meta }), headers);
}

function talking(
  headers: Headers,
  transmit: (method: string, params: Params, more: Headers) => Promise<Response>,
): ProxiedAgent {
  const send: ProxiedAgent["send"] = (method, params = {}, more = {}) => transmit(method, params, more);
  const ask: ProxiedAgent["ask"] = async (method, params) => answerTo(await send(method, params));
  const call: ProxiedAgent["call"] = (name, given = {}, more = {}) =>
    ask("tools/call", { name, arguments: given, ...more });
  return {
    headers,
    send,
    ask,
    call,
    said: async (tool, given) => textOf(await call(tool, given)),
    names: async (list) => {
      const { result } = await ask(`${list}/list`);
      const entries = (result?.[list] ?? []) as readonly { readonly name: string; readonly uri?: string }[];
      return entries.map(({ name, uri }) => uri ?? name);
    },
  };
}

export function textOf({ result, error }: Message): string {
  const content = result?.content as readonly { readonly text: string }[] | undefined;
  return content?.map(({ text }) => text).join("\n") ?? `no content: ${JSON.stringify(error ?? result)}`;
}
