import type { JsonObject } from "../../json.ts";
import { causeOf } from "../../logging/cause.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { Listener } from "../deliver.ts";
import type { SpokenUpstream } from "../upstream.ts";
import { notify } from "./open.ts";

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
