import { causeOf } from "../../logging/cause.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { Listener } from "../deliver.ts";
import type { Upstream } from "../upstream.ts";
import { notify } from "./open.ts";

/** The listener of what comes in a session, where the upstream's requests can be answered. */
export function respondingIn(session: UpstreamSession, listener: Listener, upstream: Upstream): Listener {
  const { app, request } = upstream;
  const tolerate = (cause: unknown) =>
    request.logger.warn("an upstream's request was not answered", { app: app.name, cause: causeOf(cause) });
  return {
    ...listener,
    asked: (asked, message) =>
      listener.asked(asked, message, (outcome) => {
        const signal = AbortSignal.timeout(app.timeout);
        request.waitUntil(notify(session, { id: asked.id, ...outcome }, upstream, signal).catch(tolerate));
      }),
  };
}
