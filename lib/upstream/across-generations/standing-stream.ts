import { causeOf } from "../../logging/cause.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import { sessionHeaders } from "../session/end-session.ts";
import type { Through } from "../session/session-request.ts";
import { type SpokenUpstream, wireTarget } from "../spoken-upstream.ts";
import { openUpstreamStream } from "../wire/post-message.ts";
import type { UpstreamMessage } from "../wire/upstream-message.ts";

type Next = IteratorResult<UpstreamMessage, unknown>;

/**
 * Opens the stream of a session that has one call: some servers ask there, and not in the call's answer (MCP 2025-11-25,
 * Transports, Listening for Messages). Nobody waits for it, and what goes wrong with it leaves the call as it would be without.
 *
 * @returns puts what it says between the messages of the call's answer
 */
export function openStandingStream(session: UpstreamSession, upstream: SpokenUpstream, signal: AbortSignal): Through {
  const said = messagesOf(session, upstream, signal);
  const next = (): Promise<Next> =>
    said.next().catch((cause: unknown) => {
      upstream.request.logger.debug("an upstream's own stream ended", { cause: causeOf(cause) });
      return OVER;
    });
  // It is there before the call, whose tool may ask at once.
  let heard: Promise<Next> | undefined = next();
  return async function* (messages) {
    const answering = messages[Symbol.asyncIterator]();
    let answered = quiet(answering.next());
    try {
      for (;;) {
        const isHeard = heard?.then(() => true);
        const first = isHeard === undefined ? false : await Promise.race([answered.then(() => false), isHeard]);
        const { done, value } = await (first && heard !== undefined ? heard : answered);
        if (!first) {
          if (done) return;
          yield value;
          answered = quiet(answering.next());
        } else {
          if (!done && value.kind === "whole") yield value;
          heard = done ? undefined : next();
        }
      }
    } finally {
      await answering.return?.();
    }
  };
}

const OVER: Next = { done: true, value: undefined };

/** Whoever leaves early does not hear how it ends. */
function quiet(next: Promise<Next>): Promise<Next> {
  next.catch(() => undefined);
  return next;
}

async function* messagesOf(
  session: UpstreamSession,
  upstream: SpokenUpstream,
  signal: AbortSignal,
): AsyncGenerator<UpstreamMessage, void> {
  const answer = await openUpstreamStream(wireTarget(upstream, sessionHeaders(session), signal));
  if (answer.kind === "messages") yield* answer.messages;
}
