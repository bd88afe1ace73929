import type { Proxies } from "../../gateway/proxied/proxies.ts";
import { abortWith } from "../../kernel/abort.ts";
import { GivenUp } from "../../kernel/cancellation.ts";
import { causeOf } from "../../logging/cause.ts";
import type { RpcRequest } from "../../protocol/mcp/message.ts";
import type { Following, SessionChannel, SessionSignal } from "../../stores/session-channel.ts";
import type { Caller } from "../caller.ts";

export interface Cancellation {
  /** Aborts as the given one does, and when the session's client cancels the request or the session ends. */
  readonly signal: AbortSignal;
  /** Why there is no result to answer with: the client wants none, or nobody is in the session any more. */
  reason(): "cancelled" | "ended" | undefined;
  /** The request was answered. */
  done(): void;
}

export interface CancellationPorts {
  readonly sessionChannel?: SessionChannel | undefined;
  readonly proxies: Pick<Proxies, "apps">;
}

/**
 * Listens for `notifications/cancelled`, which comes as a request of its own and may come to another instance. Only what
 * others carry out takes long enough for it; nothing waits until it is listened.
 */
export function abortedBySession(
  { id, method }: RpcRequest,
  signal: AbortSignal,
  { session, request }: Pick<Caller, "session" | "request">,
  { sessionChannel: channel, proxies }: CancellationPorts,
): Cancellation {
  if (channel === undefined || session === undefined || !mayTakeLong(method, proxies))
    return { signal, reason: () => undefined, done: ignore };
  const cancelled = new AbortController();
  let reason: "cancelled" | "ended" | undefined;
  let isDone = false;
  let following: Following | undefined;
  const receive = (heard: SessionSignal): void => {
    const isMeant = heard.kind === "ended" || (heard.kind === "cancelled" && heard.requestId === id);
    if (!isMeant) return;
    reason ??= heard.kind;
    cancelled.abort(heard.kind === "ended" ? "session_ended" : cancelledBecause(heard.reason));
  };
  const follow = async (): Promise<void> => {
    try {
      following = await channel.follow(session.reference.sessionHash, receive);
      if (isDone) following.stop();
    } catch (cause) {
      request.logger.warn("a call cannot be cancelled: its session is not heard", { cause: causeOf(cause) });
    }
  };
  void follow();
  const forget = abortWith(cancelled, signal);
  return {
    signal: cancelled.signal,
    reason: () => reason,
    done: () => {
      isDone = true;
      forget();
      following?.stop();
    },
  };
}

function cancelledBecause(said: string | undefined): unknown {
  return said === undefined ? CANCELLED : new GivenUp(CANCELLED, said);
}

const CANCELLED = "cancelled_by_client";

/** Tool calls, and whatever an upstream answers by itself. */
function mayTakeLong(method: string, { apps }: CancellationPorts["proxies"]): boolean {
  return method === "tools/call" || (apps.length > 0 && !ANSWERED_HERE.test(method));
}

const ANSWERED_HERE = /^(?:initialize|ping|logging\/setLevel|(?:tools|prompts|resources|resources\/templates)\/list)$/;

function ignore(): void {
  // Nothing was listened to.
}
