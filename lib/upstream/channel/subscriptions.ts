import { isJsonObject } from "../../kernel/json.ts";
import { METHOD_NOT_FOUND } from "../../protocol/mcp/json-rpc.ts";
import { STATELESS_REVISIONS } from "../../protocol/mcp/revisions.ts";
import { createSessionId } from "../../protocol/mcp/session-id.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { AgentSession } from "../agent-side.ts";
import type { UpstreamAnswer } from "../answer.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { boundTo, keep, keptNow, whereBound } from "../session/kept-session.ts";
import type { UpstreamRequest } from "../spoken-upstream.ts";
import type { Upstream } from "../upstream.ts";

/** What is subscribed to by the requests of these methods from then on. */
const SUBSCRIBES: Readonly<Record<string, boolean>> = {
  "resources/subscribe": true,
  "resources/unsubscribe": false,
};

export function isSubscribing({ method }: UpstreamRequest): boolean {
  return Object.hasOwn(SUBSCRIBES, method);
}

/** Keeps in mind what an agent subscribed to in its session, once the upstream agreed. */
export async function subscribedInSession(
  live: AgentSession,
  request: UpstreamRequest,
  upstream: Upstream,
  answering: Promise<UpstreamAnswer>,
): Promise<UpstreamAnswer> {
  const answer = await answering;
  if (answer.facts.hasResult) await remember(live, request, upstream);
  return answer;
}

/**
 * The same at an upstream of the stateless generation, which is asked for what its subscriptions are about (MCP 2026-07-28,
 * Subscriptions): the streams of the session listen anew.
 *
 * @throws UpstreamRefusal of one whose resources cannot be subscribed to
 */
export async function subscribedByListening(
  live: AgentSession,
  request: UpstreamRequest,
  upstream: Upstream,
): Promise<UpstreamAnswer> {
  const { app, agent, principal, shared } = upstream;
  const resources = shared.introductions.get(app.name, principal, "stateless")?.capabilities.resources ?? {};
  if (isJsonObject(resources) && resources.subscribe === false) {
    throw new UpstreamRefusal({
      status: 200,
      error: { code: METHOD_NOT_FOUND, message: "This method is not served." },
    });
  }
  await remember(live, request, upstream, listening(upstream));
  return {
    forwarded: { kind: "message", text: JSON.stringify({ jsonrpc: "2.0", id: agent.id, result: {} }) },
    facts: { isAnswer: true, hasResult: true, hasError: false, isError: false },
  };
}

/** Writes down that an agent's session has no session at an upstream, as that knows none: its streams listen there instead. */
export async function listenFor(live: AgentSession, upstream: Upstream): Promise<void> {
  const known = await keptNow(live, upstream);
  if (whereBound(known, upstream) !== undefined) return;
  await keep(live, listening(upstream), known?.key, upstream);
}

/** Requests of one session may change its subscriptions at the same time. */
const ATTEMPTS = 5;

/** @param fresh what is kept where there is nothing yet; absent: the session that was subscribed in has to be there */
async function remember(
  live: AgentSession,
  { method, params }: UpstreamRequest,
  upstream: Upstream,
  fresh?: UpstreamSession,
): Promise<void> {
  const { uri } = params;
  if (typeof uri !== "string") return;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const known = await keptNow(live, upstream);
    const own = whereBound(known, upstream) ?? fresh;
    if (own === undefined) break;
    const others = (own.subscriptions ?? []).filter((other) => other !== uri);
    const subscriptions = SUBSCRIBES[method] === true ? [...others, uri] : others;
    const { subscriptions: _, ...session } = own;
    const changed = { ...session, key: newKey(upstream), ...(subscriptions.length > 0 && { subscriptions }) };
    const { current } = await keep(live, changed, known?.key, upstream);
    if (current === undefined || current.key === changed.key) return;
    if (current.key === known?.key) break;
  }
  const { app, request } = upstream;
  request.logger.warn("a subscription is not kept in mind", { app: app.name });
}

function listening(upstream: Upstream): UpstreamSession {
  return { key: newKey(upstream), protocolVersion: STATELESS_REVISIONS[0], boundTo: boundTo(upstream) };
}

function newKey({ shared }: Upstream): string {
  return createSessionId(shared.random);
}
