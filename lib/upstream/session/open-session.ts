import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { causeOf } from "../../logging/cause.ts";
import { isSessionRevision, LATEST_SESSION_REVISION, SESSION_REVISIONS } from "../../protocol/mcp/revisions.ts";
import { createSessionId } from "../../protocol/mcp/session-id.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { Deadline } from "../deadline.ts";
import { deliver, type Listener, SILENT } from "../deliver.ts";
import { ownQuestion } from "../own-question.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { type SpokenUpstream, wireTarget } from "../spoken-upstream.ts";
import type { Upstream } from "../upstream.ts";
import { postMessage } from "../wire/post-message.ts";
import { brokenJson, brokenOff, UpstreamFailure } from "../wire/upstream-failure.ts";
import { leaveSession, sessionHeaders } from "./end-session.ts";
import { boundTo } from "./kept-session.ts";

/** A session that was begun, with what the upstream said of itself. */
export interface OpenedSession {
  readonly session: UpstreamSession;
  /** The result of `initialize`. */
  readonly said: JsonObject;
}

const ID = "initialize";
/** Characters; many times what servers make. */
const LONGEST_ID = 1_024;

/**
 * Begins a session at an upstream as the agent began its own (MCP 2025-11-25, Lifecycle): same revision, same client, and
 * the capabilities that can be used through us.
 *
 * @throws UpstreamRefusal, also of an upstream that knows no sessions; UpstreamFailure
 */
export async function openSession(upstream: Upstream, deadline: Deadline): Promise<OpenedSession> {
  const { agent, app, principal, shared } = upstream;
  const protocolVersion = isSessionRevision(agent.protocolVersion) ? agent.protocolVersion : LATEST_SESSION_REVISION;
  const params = { protocolVersion, capabilities: usableCapabilities(upstream), clientInfo: agent.clientInfo };
  const signal = AbortSignal.any([upstream.signal, deadline.signal]);
  const text = JSON.stringify({ jsonrpc: "2.0", id: ID, method: "initialize", params });
  const answer = await postMessage(text, wireTarget(upstream, {}, signal));
  if (answer.kind === "refused") throw new UpstreamRefusal(answer);
  if (answer.kind === "accepted") throw brokenOff();
  const said = await resultOf(answer.messages, upstream, deadline);
  const sessionId = answer.headers.get("mcp-session-id");
  if (sessionId !== null && sessionId.length > LONGEST_ID) throw brokenJson("its session id is too long");
  const begun: UpstreamSession = {
    key: createSessionId(shared.random),
    ...(sessionId !== null && { sessionId }),
    protocolVersion,
    boundTo: boundTo(upstream),
  };
  const session = agreed(begun, said, upstream);
  shared.introductions.learn(app.name, principal, "session", said);
  await notify(session, { method: "notifications/initialized" }, upstream, signal);
  return { session, said };
}

/** The session as its upstream wants it. @throws UpstreamFailure `other_revision`; the session is left */
function agreed(begun: UpstreamSession, said: JsonObject, upstream: Upstream): UpstreamSession {
  try {
    return { ...begun, protocolVersion: agreedRevision(said, begun.protocolVersion) };
  } catch (cause) {
    leaveSession(begun, upstream);
    throw cause;
  }
}

/** Sends what is not answered. */
export async function notify(
  session: UpstreamSession,
  message: JsonObject,
  upstream: SpokenUpstream,
  signal: AbortSignal,
): Promise<void> {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  const answer = await postMessage(text, wireTarget(upstream, sessionHeaders(session), signal));
  if (answer.kind === "refused") throw new UpstreamRefusal(answer);
  // Whatever it says is no answer to anything.
  if (answer.kind === "messages") await answer.messages[Symbol.asyncIterator]().return?.();
}

async function resultOf(
  messages: Parameters<typeof deliver>[0],
  upstream: Upstream,
  deadline: Deadline,
): Promise<JsonObject> {
  const request = { id: ID, method: "initialize", params: {}, rules: {} };
  const own = ownQuestion(upstream, deadline, "The initialize result");
  const { forwarded } = await deliver(messages, request, own.upstream, SILENT, own.deadline);
  deadline.extend();
  const message: unknown = forwarded.kind === "message" ? JSON.parse(forwarded.text) : undefined;
  if (!isJsonObject(message)) throw brokenOff();
  if (isJsonObject(message.error)) throw new UpstreamRefusal({ status: 200, error: message.error });
  if (!isJsonObject(message.result)) throw brokenOff();
  return message.result;
}

/** Requests of the upstream reach the agent where its streams are held open. */
function usableCapabilities({ agent, shared }: Upstream): JsonObject {
  const { sampling: _, elicitation: __, roots: ___, ...others } = agent.clientCapabilities;
  return shared.sessionChannel === undefined ? others : agent.clientCapabilities;
}

/**
 * The revision that an upstream answered `initialize` with; the one that it was asked for where it names none. From one that we
 * do not speak we part (MCP 2025-11-25, Lifecycle, Version Negotiation).
 *
 * @throws UpstreamFailure `other_revision`
 */
export function agreedRevision({ protocolVersion }: JsonObject, asked: string): string {
  if (typeof protocolVersion !== "string") return asked;
  if (isSessionRevision(protocolVersion)) return protocolVersion;
  const accepted = SESSION_REVISIONS.join(", ");
  throw new UpstreamFailure(
    "other_revision",
    `The upstream answered initialize with a revision of MCP that is not accepted here; accepted: ${accepted}.`,
  );
}

/** Answers on their way at the same time: an upstream that asks again and again makes no flood of requests to itself. */
const MOST = 64;

/** The listener of what comes in a session, where the upstream's requests can be answered. */
export function respondingIn(session: UpstreamSession, listener: Listener, upstream: SpokenUpstream): Listener {
  const { app, request } = upstream;
  const tolerate = (cause: unknown) =>
    request.logger.warn("an upstream's request was not answered", { app: app.name, cause: causeOf(cause) });
  let running = 0;
  const respond = async (message: JsonObject): Promise<void> => {
    if (running >= MOST) throw new Error(`${MOST} of its requests are being answered already`);
    running += 1;
    try {
      await notify(session, message, upstream, AbortSignal.timeout(app.timeout));
    } finally {
      running -= 1;
    }
  };
  return {
    ...listener,
    asked: (asked, message) =>
      listener.asked(asked, message, (outcome) => {
        request.waitUntil(respond({ id: asked.id, ...outcome }).catch(tolerate));
      }),
  };
}
