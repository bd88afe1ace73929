import type { Admission } from "../../gateway/call-tool.ts";
import { GatewayError } from "../../gateway/gateway-error.ts";
import type { Proxies } from "../../gateway/proxied/proxies.ts";
import { stopOfCalled, stopOfCaller } from "../../gateway/stopped.ts";
import { abortWith } from "../../kernel/abort.ts";
import { GivenUp } from "../../kernel/cancellation.ts";
import { causeOf } from "../../logging/cause.ts";
import type { RpcRequest } from "../../protocol/mcp/message.ts";
import type { InstanceStops } from "../../stops/instance-stops.ts";
import type { Following, SessionChannel, SessionSignal } from "../../stores/session-channel.ts";
import type { Caller } from "../caller.ts";

export interface Cancellation {
  /** Aborts as the given one does, when the session's client cancels the request or the session ends, and when it is stopped. */
  readonly signal: AbortSignal;
  /** Why there is no result to answer with: the client wants none, nobody is in the session any more, or an administrator ended it. */
  reason(): Reason | undefined;
  /** The request was answered. */
  done(): void;
}

type Reason = "cancelled" | "ended" | "stopped";

export interface CancellationPorts {
  readonly instanceStops: Pick<InstanceStops, "watch">;
  readonly ownIssuer: string | undefined;
  readonly sessionChannel?: SessionChannel | undefined;
  readonly proxies: Pick<Proxies, "apps">;
}

/**
 * Looks whether an administrator stops it, and listens for `notifications/cancelled`, which comes as a request of its own and may come to another instance. Only what
 * others carry out takes long enough for it; nothing waits until it is listened.
 */
export function cancellable(
  { id, method }: RpcRequest,
  signal: AbortSignal,
  { session, request, identity }: Pick<Caller, "session" | "request" | "identity">,
  admission: Admission | undefined,
  { sessionChannel: channel, proxies, instanceStops, ownIssuer }: CancellationPorts,
): Cancellation {
  if (!mayTakeLong(method, proxies)) return { signal, reason: () => undefined, done: ignore };
  const cancelled = new AbortController();
  let reason: Reason | undefined;
  const called = admission === undefined || admission instanceof GatewayError ? undefined : admission.located;
  const unwatch = instanceStops.watch(
    (index) =>
      stopOfCaller(index, { identity, session }, ownIssuer) !== undefined ||
      (called !== undefined && stopOfCalled(index, called.app, called.tool.localName) !== undefined),
    () => {
      reason ??= "stopped";
      cancelled.abort("stopped");
    },
  );
  let isDone = false;
  let following: Following | undefined;
  const receive = (heard: SessionSignal): void => {
    const isMeant = heard.kind === "ended" || (heard.kind === "cancelled" && heard.requestId === id);
    if (!isMeant) return;
    reason ??= heard.kind;
    cancelled.abort(heard.kind === "ended" ? "session_ended" : cancelledBecause(heard.reason));
  };
  const follow = async (): Promise<void> => {
    if (channel === undefined || session === undefined) return;
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
      unwatch();
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
