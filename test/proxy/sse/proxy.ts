import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import { localSessionChannel } from "../../../lib/mcp/sessions/local-channel.ts";
import type { AgentSide } from "../../../lib/upstream/agent-side.ts";
import { createCatalogs } from "../../../lib/upstream/catalog/catalogs.ts";
import { createIntroductions } from "../../../lib/upstream/channel/introductions.ts";
import { forward } from "../../../lib/upstream/forward.ts";
import { createUpstreamGuard } from "../../../lib/upstream/guard/guard.ts";
import { localConnections } from "../../../lib/upstream/sse/held-connections.ts";
import type { ProxyState, Upstream } from "../../../lib/upstream/upstream.ts";
import { APP } from "../bridge/agent.ts";

export interface Call {
  readonly params?: JsonObject;
  readonly method?: string;
  readonly id?: string;
  /** Name of the agent's session; undefined: it has none. */
  readonly session?: string | undefined;
  readonly principal?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Partial<AgentSide>;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

export type SSEProxy = ReturnType<typeof sseProxy>;

/** The proxy before one upstream of the legacy transport. By default it holds connections. */
export function sseProxy(url: () => string, more: Partial<Dependencies> = {}) {
  const logs: string[] = [];
  const log = (message: string) => void logs.push(message);
  const logger = { debug: log, info: log, warn: log, error: log };
  const clock = { now: () => 1_800_000_000_000 };
  const channel = localSessionChannel();
  const work: Promise<void>[] = [];
  const dependencies = {
    clock,
    random: webCryptoRandom,
    logger,
    sessionChannel: channel,
    upstreamConnections: localConnections(),
    ...more,
  } as unknown as Dependencies;
  const state = {
    ...dependencies,
    guard: createUpstreamGuard(dependencies),
    catalogs: createCatalogs(clock),
    introductions: createIntroductions(clock),
  } as unknown as ProxyState;

  /** The upstream as a call's request reaches it, with what the agent heard meanwhile and what was written to it. */
  function upstreamOf(call: Call) {
    const { id = "one", principal = "alice", params = {}, headers = {} } = call;
    const { session = "session", timeout = 10_000, signal = new AbortController().signal } = call;
    const heard: JsonObject[] = [];
    const written: Uint8Array[] = [];
    const agent = {
      generation: "session",
      id,
      protocolVersion: "2025-06-18",
      clientInfo: { name: "agent", version: "1" },
      clientCapabilities: { elicitation: {} },
      logLevel: undefined,
      params: () => params,
      hearsRequests: true,
      relay: (message: JsonObject) => void heard.push(message),
      openAnswer: () => ({
        write: async (chunk: Uint8Array) => void written.push(chunk.slice()),
        commit: () => undefined,
        withdraw: () => void written.splice(0),
      }),
      ...(!("session" in call && call.session === undefined) && {
        session: { reference: { sessionHash: session, principal }, record: {} },
      }),
      ...call.agent,
    } as unknown as AgentSide;
    const request = { requestId: "r", logger, waitUntil: (background: Promise<void>) => void work.push(background) };
    const app = { ...APP, transport: "sse", url: url(), timeout } as const;
    const upstream = { app, agent, principal, request, fetch: globalThis.fetch, headers, signal, shared: state };
    return { upstream: upstream as unknown as Upstream, heard, text: () => Buffer.concat(written).toString() };
  }

  async function send(call: Call = {}) {
    const { upstream, heard, text } = upstreamOf(call);
    const { id = "one", method = "tools/call", params = { name: "t" } } = call;
    const { forwarded, facts } = await forward({ id, method, params, rules: {} }, upstream);
    const answer = JSON.parse(forwarded.kind === "message" ? forwarded.text : text());
    return { answer, heard, facts, isWritten: forwarded.kind === "written" };
  }

  return { send, upstreamOf, channel, state, logs, settled: () => Promise.all(work) };
}

export const LONG = "x".repeat(200_000);
