import type { CatalogChanges } from "../../gateway/catalog-changes.ts";
import type { Clock } from "../../kernel/clock.ts";
import { causeOf } from "../../logging/cause.ts";
import { notificationMessage } from "../../protocol/mcp/json-rpc.ts";
import { isUseDue } from "../../stores/mcp-session-expiry.ts";
import type { McpSessionRecord, McpSessions } from "../../stores/mcp-sessions.ts";
import type { SessionChannel, SessionSignal } from "../../stores/session-channel.ts";
import { StoreUnavailableError } from "../../stores/unavailable.ts";
import type { Caller, LiveSession } from "../caller.ts";
import type { EventStream } from "../event-stream.ts";

export interface StreamPorts {
  readonly clock: Clock;
  readonly stores: { readonly mcpSessions: Pick<McpSessions, "use"> };
  readonly catalogChanges: Pick<CatalogChanges, "count">;
}

export interface SessionStreamOptions {
  /** Milliseconds between two looks whether the session goes on; fewer where it may idle for less than some of them. */
  readonly interval: number;
  /** Runs once, when the stream has ended, whoever ended it. */
  readonly onEnd?: () => Promise<void>;
  /** Looks after the session's upstreams: it has another session at one, or some time has passed. Does not throw. */
  readonly onUpstream?: () => void;
  /** Takes the session's signals in place of the stream, which is that of one request then, and hears nothing else. */
  readonly receive?: (signal: SessionSignal) => void;
  /** Takes each signal before anybody else does. */
  readonly overhear?: ((signal: SessionSignal) => void) | undefined;
}

/** At least so many in the time that the session may idle. */
const LOOKS = 4;

/**
 * Connects an event stream with a session: what others publish goes out on it, and it ends when the session does, when
 * another stream replaces it, when its token expires or is revoked, when the gateway is turned off or asks for tokens otherwise, or when
 * signals may have been lost. An open stream is a use of its session.
 *
 * @throws StoreUnavailableError when signals cannot be had
 */
export async function attachStream(
  stream: EventStream,
  { reference, record }: LiveSession,
  { identity, request, isStillAuthorized }: Pick<Caller, "identity" | "request" | "isStillAuthorized">,
  channel: SessionChannel,
  { clock, stores, catalogChanges }: StreamPorts,
  { interval, onEnd, onUpstream, receive: receiveOwn, overhear }: SessionStreamOptions,
): Promise<void> {
  let latest: McpSessionRecord = record;
  let seenChanges = catalogChanges.count();

  // Of streams that open at once all hear the same order: each is replaced by those behind itself, so that one is left.
  let isInPlace = false;
  const receive = (signal: SessionSignal): void => {
    overhear?.(signal);
    if (signal.kind !== "ended" && receiveOwn !== undefined) receiveOwn(signal);
    else if (signal.kind === "message") stream.send(signal.message);
    else if (signal.kind === "text") stream.sendText(signal.text);
    else if (signal.kind === "ended") stream.close();
    else if (signal.kind === "upstream") onUpstream?.();
    else if (signal.kind !== "replaced") return;
    else if (signal.by === request.requestId) isInPlace = true;
    else if (isInPlace) stream.close();
  };
  const look = async (): Promise<void> => {
    // Also where its own signal was lost.
    isInPlace = true;
    const now = clock.now();
    const isExpired = identity !== undefined && now >= identity.expiresAt;
    if (isExpired || !(await isStillAuthorized())) return stream.close();
    if (isUseDue(latest, now)) {
      const used = await stores.mcpSessions.use(reference, now);
      if (used === undefined) return stream.close();
      latest = used;
    }
    onUpstream?.();
    if (receiveOwn !== undefined || seenChanges === catalogChanges.count()) return;
    seenChanges = catalogChanges.count();
    stream.send(notificationMessage("notifications/tools/list_changed"));
  };
  const following = await channel.follow(reference.sessionHash, receive).catch(async (cause: unknown) => {
    stream.close();
    await onEnd?.();
    // Signals come by what keeps sessions.
    throw new StoreUnavailableError(cause);
  });
  // The client reconnects, and nothing is missed unnoticed.
  void following.lost.then(stream.close);
  // The store may be back at the next look; until then the session is taken for live.
  const tolerate = (cause: unknown) => request.logger.warn("session not looked up", { cause: causeOf(cause) });
  const looking = setInterval(() => look().catch(tolerate), Math.min(interval, record.timeout / LOOKS));
  const end = async (): Promise<void> => {
    clearInterval(looking);
    following.stop();
    if (onEnd !== undefined) return onEnd();
    // Idling begins now, not with the last look.
    const now = clock.now();
    if (isUseDue(latest, now)) await stores.mcpSessions.use(reference, now).catch(tolerate);
  };
  if (stream.gone.aborted) request.waitUntil(end());
  else stream.gone.addEventListener("abort", () => request.waitUntil(end()), { once: true });
}
