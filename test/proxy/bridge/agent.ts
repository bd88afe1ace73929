import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { McpProxyAppConfiguration } from "../../../lib/config/app-configuration.ts";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import { collectAnswer } from "../../../lib/mcp/outlet.ts";
import { localSessionChannel } from "../../../lib/mcp/sessions/local-channel.ts";
import type { McpSessionRecord } from "../../../lib/stores/mcp-sessions.ts";
import { createSharedSessions } from "../../../lib/upstream/across-generations/shared-sessions.ts";
import type { AgentSide } from "../../../lib/upstream/agent-side.ts";
import { createCatalogs } from "../../../lib/upstream/catalog/catalogs.ts";
import { createIntroductions } from "../../../lib/upstream/channel/introductions.ts";
import { forward } from "../../../lib/upstream/forward.ts";
import { createGenerations } from "../../../lib/upstream/generations.ts";
import { createUpstreamGuard } from "../../../lib/upstream/guard/guard.ts";
import { rulesOf } from "../../../lib/upstream/names/rules-of.ts";
import type { ProxyState, Upstream } from "../../../lib/upstream/upstream.ts";
import { localWaitingCalls } from "../../../lib/upstream/waiting/local-calls.ts";

export const ELICITATION = { elicitation: { form: {} } };

/** The proxy between agents and one upstream, without a gateway around it. */
export interface TestProxy {
  readonly state: ProxyState;
  readonly clock: { time: number };
  readonly logs: string[];
  /** Sends `tools/call` of an agent without session. */
  stateless(params: JsonObject, options?: CallOptions): Promise<JsonObject>;
  /** Sends it in the agent's session; `answer` makes of each request to the agent the answer to it. */
  inSession(params: JsonObject, options: SessionCallOptions): Promise<JsonObject>;
}

export interface CallOptions {
  readonly capabilities?: JsonObject;
  readonly principal?: string;
  readonly method?: string;
  readonly app?: Partial<McpProxyAppConfiguration>;
  readonly signal?: AbortSignal;
  /** What requests carry once the upstream has refused a credential. */
  readonly renewed?: Readonly<Record<string, string>>;
}

export interface SessionCallOptions extends CallOptions {
  readonly answer?: (asked: JsonObject) => JsonObject | undefined;
  readonly hears?: boolean;
}

export function testProxy(fetch: typeof globalThis.fetch, more: Partial<Dependencies> = {}): TestProxy {
  const clock = { time: 1_800_000_000_000 };
  const logs: string[] = [];
  const log = (message: string) => void logs.push(message);
  const logger = { debug: log, info: log, warn: log, error: log };
  const channel = localSessionChannel();
  const dependencies = {
    clock: { now: () => clock.time },
    random: webCryptoRandom,
    logger,
    sessionChannel: channel,
    stateSecret: new Uint8Array(32).fill(7),
    waitingCalls: localWaitingCalls(webCryptoRandom),
    stores: { mcpSessions: sessionsOf() },
    ...more,
  } as unknown as Dependencies;
  const state: ProxyState = {
    ...dependencies,
    generations: createGenerations(dependencies.clock),
    guard: createUpstreamGuard(dependencies),
    sharedSessions: createSharedSessions(dependencies.clock),
    catalogs: createCatalogs(dependencies.clock),
    introductions: createIntroductions(dependencies.clock),
  } as ProxyState;
  let ids = 0;

  async function call(side: Partial<AgentSide>, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    const { method = "tools/call", principal = "alice", signal = new AbortController().signal } = options;
    const app = { ...APP, ...options.app };
    const answered = Promise.withResolvers<string>();
    const id = `agent-${ids++}`;
    const agent = {
      id,
      clientInfo: { name: "agent", version: "1" },
      clientCapabilities: options.capabilities ?? ELICITATION,
      logLevel: undefined,
      params: () => params,
      relay: () => undefined,
      openAnswer: () => collectAnswer(id, (answer) => answered.resolve("text" in answer ? answer.text : "")),
      ...side,
    } as AgentSide;
    const request = { requestId: "r", logger, waitUntil: (work: Promise<void>) => void work } as never;
    const upstream: Upstream = { app, agent, principal, request, fetch, headers: {}, signal, shared: state };
    const { renewed } = options;
    const again = renewed && { renewed: async () => ({ ...upstream, headers: renewed }) };
    const { forwarded } = await forward({ id, method, params, rules: rulesOf(app, method) }, { ...upstream, ...again });
    if (forwarded.kind === "written") forwarded.answer.commit();
    return JSON.parse(forwarded.kind === "message" ? forwarded.text : await answered.promise);
  }

  return {
    state,
    clock,
    logs,
    stateless: (params, options = {}) => {
      const capabilities = options.capabilities ?? ELICITATION;
      const side = { generation: "stateless", protocolVersion: "2026-07-28", hearsRequests: false } as const;
      return call(side, { ...params, _meta: envelope(capabilities) }, options);
    },
    inSession: (params, { answer, hears = true, ...options }) => {
      const reference = { sessionHash: "session", principal: "alice" };
      const side = {
        generation: "session",
        protocolVersion: "2025-11-25",
        hearsRequests: hears,
        session: { reference, record: {} as McpSessionRecord },
        relay: (asked: JsonObject) => {
          const given = answer?.(asked);
          if (given !== undefined)
            void channel.publish(reference.sessionHash, {
              kind: "response",
              id: String(asked.id),
              message: { jsonrpc: "2.0", id: asked.id, ...given },
            });
        },
      } as const;
      return call(side, params, options);
    },
  };
}

export const APP = {
  type: "mcpProxy",
  name: "desk",
  namespace: "",
  transport: "stream",
  url: "http://upstream.example/mcp",
  timeout: 10_000,
  concurrency: 10,
  shareable: false,
  inboundTools: [],
  stepUp: [],
  outbound: { type: "unprotected" },
} as const satisfies McpProxyAppConfiguration;

function envelope(capabilities: JsonObject): JsonObject {
  return {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "agent", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
}

/** One session of an agent, which remembers its sessions at upstreams. */
function sessionsOf() {
  let upstreams: Readonly<Record<string, { readonly key: string }>> = {};
  return {
    get: async () => ({ upstreams }),
    setUpstream: async (_: unknown, app: string, upstream: { readonly key: string }) => {
      upstreams = { ...upstreams, [app]: upstream };
      return { upstreams };
    },
  };
}
