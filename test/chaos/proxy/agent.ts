import { setTimeout as pause } from "node:timers/promises";
import { type AgentRole, principalText, STATELESS } from "./cast.ts";
import { type Answered, type Loss, post } from "./post.ts";
import type { World } from "./world.ts";

/** Within which every call has to end, milliseconds: it waits for its turn, for lists and for the upstream's silence. */
export const CALL_LIMIT = 20_000;

/** An agent that runs. */
export interface Agent {
  readonly role: AgentRole;
  /** Its session has it as a name in the journal; without a session each call has its own. */
  readonly label: string | undefined;
  /** Sends a request, with the next id of the session. */
  send(method: string, params: Params, leaveAfter?: number): Promise<Sent>;
  /** Headers that every request of its session has. */
  headers(): Readonly<Record<string, string>>;
  /** The gateway does not know the session any more: goes on with another one. */
  renew(): Promise<void>;
  end(): Promise<void>;
}

export type Params = Readonly<Record<string, unknown>>;

export interface Sent {
  readonly id: number;
  readonly outcome: Answered | { readonly loss: Loss };
}

/** Milliseconds between two attempts to begin a session. */
const ATTEMPT = 100;
/** An agent that gets no session in so many milliseconds has none to call in. */
const START_LIMIT = 60_000;
const CLIENT_INFO = { name: "chaos", version: "1" };

/** Begins the agent's session, if it has one, whatever happens to the gateway meanwhile. */
export async function startAgent(role: AgentRole, label: string, world: World): Promise<Agent> {
  const url = `${world.gateway.url}/mcp`;
  const authorization = { authorization: `Bearer ${world.tokens.get(principalText(role))}` };
  const isStateless = role.revision === STATELESS;
  let session: string | undefined;
  let ids = 0;

  const headers = (): Readonly<Record<string, string>> => ({
    ...authorization,
    "mcp-protocol-version": role.revision,
    ...(session !== undefined && { "mcp-session-id": session }),
  });
  const begin = async (): Promise<void> => {
    const params = { protocolVersion: role.revision, capabilities: {}, clientInfo: CLIENT_INFO };
    const body = { jsonrpc: "2.0", id: ++ids, method: "initialize", params };
    const end = Date.now() + START_LIMIT;
    for (;;) {
      const outcome = await post({ url, headers: authorization, body, limit: CALL_LIMIT });
      if ("status" in outcome && outcome.status === 200 && outcome.session !== undefined) {
        session = outcome.session;
        return;
      }
      if (Date.now() > end) throw new Error(`${role.name} got no session: ${JSON.stringify(outcome)}`);
      await pause(ATTEMPT);
    }
  };
  if (!isStateless) await begin();
  return {
    role,
    label: isStateless ? undefined : label,
    headers,
    send: async (method, params, leaveAfter) => {
      const id = ++ids;
      const more = isStateless ? envelope(method, params) : { params, headers: {} };
      const body = { jsonrpc: "2.0", id, method, params: more.params };
      const sent = { url, headers: { ...headers(), ...more.headers }, body, limit: CALL_LIMIT, leaveAfter };
      return { id, outcome: await post(sent) };
    },
    renew: begin,
    end: async () => {
      if (session !== undefined) await post({ url, headers: headers(), method: "DELETE", limit: CALL_LIMIT });
    },
  };
}

/** What a request of the stateless generation says of itself, in its body and once more in headers. */
function envelope(method: string, params: Params): { params: Params; headers: Readonly<Record<string, string>> } {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const named = method === "resources/read" ? params.uri : params.name;
  return {
    params: { ...params, _meta: { ...meta, ...(params._meta as Params | undefined) } },
    headers: { "mcp-method": method, ...(typeof named === "string" && { "mcp-name": named }) },
  };
}
