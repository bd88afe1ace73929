import type { JsonObject } from "../../lib/kernel/json.ts";
import { serializeJson } from "../support/http-request.ts";
import { openSession, SESSION_HEADERS, STATELESS_HEADERS, STATELESS_META } from "../support/mcp.ts";
import type { Generation } from "../support/options.ts";
import { type ServerProcess, urlOf } from "./servers.ts";

/** Who calls, and in which sessions: each call takes the next token and the next session. */
export interface Agents {
  readonly tokens: readonly string[];
  readonly sessions: readonly string[];
}

/** Sessions of a gateway, one an agent that calls at the same time, all of one person. */
export async function openSessions(gateway: ServerProcess, tokens: readonly string[], count: number): Promise<Agents> {
  const [token = ""] = tokens;
  const sessions: string[] = [];
  while (sessions.length < count) sessions.push(await openSession(urlOf(gateway), bearer(token)));
  return { tokens, sessions };
}

/** Agents of a server that asks for nothing. */
export function strangers({ tokens }: Agents): Agents {
  return { tokens, sessions: ["session-of-the-upstream"] };
}

export interface CallOptions {
  readonly generation: Generation;
  /** As the server names it. */
  readonly tool: string;
  readonly agents: Agents;
  /** Absent: those of the upstream's tools. */
  readonly given?: JsonObject;
}

/** An HTTP request without its frame. */
export interface Call {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function toolCall(id: number, { generation, tool, agents, given }: CallOptions): Call {
  const { tokens, sessions } = agents;
  const usual = { account: "DE89 3704 0044 0532 0130 00", entry: id, details: true };
  const params = { name: tool, arguments: given ?? usual };
  const meta = { progressToken: "token" };
  const message = (_meta: unknown) =>
    JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { ...params, _meta } });
  const authorization = bearer(tokens[id % tokens.length] ?? "");
  if (generation === "session") {
    const session = { "Mcp-Session-Id": sessions[id % sessions.length] ?? "" };
    return { headers: { ...SESSION_HEADERS, ...session, ...authorization }, body: message(meta) };
  }
  const headers = { ...STATELESS_HEADERS, "Mcp-Method": "tools/call", "Mcp-Name": tool, ...authorization };
  return { headers, body: message({ ...STATELESS_META, ...meta }) };
}

/** Calls for the load generator. */
export function serializedCalls(server: ServerProcess, count: number, options: CallOptions): readonly Buffer[] {
  const target = { host: "localhost", port: server.port };
  return Array.from({ length: count }, (_, id) =>
    serializeJson(target, { path: "/mcp", ...toolCall(id + 1, options) }),
  );
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` };
}
