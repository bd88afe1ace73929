import { eitherSignal } from "../../kernel/abort.ts";
import { causeOf } from "../../logging/cause.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { AgentSession } from "../agent-side.ts";
import type { UpstreamAnswer } from "../answer.ts";
import { cancelledMessage } from "../cancelled-message.ts";
import type { Deadline } from "../deadline.ts";
import { deliver, type Listener, refuseInput } from "../deliver.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { type SpokenUpstream, type UpstreamRequest, wireTarget } from "../spoken-upstream.ts";
import type { Upstream } from "../upstream.ts";
import { postMessage } from "../wire/post-message.ts";
import { resuming } from "../wire/resuming.ts";
import type { UpstreamMessage } from "../wire/upstream-message.ts";
import { sessionHeaders, tellBeforeLeaving } from "./end-session.ts";
import { ensureSession } from "./ensure-session.ts";
import { notify, respondingIn } from "./open-session.ts";

/**
 * A request in the upstream's session that belongs to the agent's. A session that the upstream has forgotten is begun anew,
 * once: such a request was not carried out.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function requestInSession(
  live: AgentSession,
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const session = await ensureSession(live, upstream, deadline);
  try {
    return await sendInSession(session, request, upstream, listener, deadline);
  } catch (cause) {
    if (!isForgotten(cause, session)) throw cause;
    const next = await ensureSession(live, upstream, deadline, session);
    return sendInSession(next, request, upstream, listener, deadline);
  }
}

/** What is read of an upstream, perhaps with pauses. */
export type Through = (messages: AsyncIterable<UpstreamMessage>) => AsyncIterable<UpstreamMessage>;

/** A request in a session that there is. What the agent gives up is cancelled at the upstream (MCP, Cancellation). */
export async function sendInSession(
  session: UpstreamSession,
  request: UpstreamRequest,
  upstream: SpokenUpstream,
  listener: Listener,
  deadline: Deadline,
  through: Through = (messages) => messages,
): Promise<UpstreamAnswer> {
  const { id, method, params } = request;
  const { signal, forget } = eitherSignal(upstream.signal, deadline.signal);
  const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  try {
    const target = wireTarget(upstream, sessionHeaders(session), signal);
    const answer = await postMessage(text, target);
    if (answer.kind === "refused") throw new UpstreamRefusal(answer);
    const messages = answer.kind === "messages" ? resuming(answer, target) : nothing();
    const responding = respondingIn(session, listener, upstream);
    return await deliver(through(messages), request, upstream, responding, deadline, refuseInput);
  } catch (cause) {
    if (signal.aborted) cancel(session, request, upstream);
    throw cause;
  } finally {
    forget();
  }
}

/** A session id that is not known is 404; servers of the field also say 400 and name the session, or that none was begun. */
export function isForgotten(cause: unknown, { sessionId }: UpstreamSession): boolean {
  if (!(cause instanceof UpstreamRefusal) || sessionId === undefined) return false;
  if (cause.status === 404) return cause.error === undefined || cause.error.code !== -32601;
  return cause.status === 400 && /session|not initiali[sz]ed/i.test(cause.error?.message ?? "");
}

/** Milliseconds. */
const PATIENCE = 5_000;

function cancel(session: UpstreamSession, { id }: UpstreamRequest, upstream: SpokenUpstream): void {
  const message = cancelledMessage(id, upstream.signal);
  const { logger, waitUntil } = upstream.request;
  const tolerate = (cause: unknown) => logger.debug("upstream not told of a cancellation", { cause: causeOf(cause) });
  const told = notify(session, message, upstream, AbortSignal.timeout(PATIENCE)).catch(tolerate);
  tellBeforeLeaving(upstream, told);
  waitUntil(told);
}

async function* nothing() {
  // An upstream that accepts a request without answering it answers nowhere else.
}
