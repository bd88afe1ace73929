import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { causeOf } from "../../logging/cause.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import { startDeadline } from "../deadline.ts";
import { dispatch } from "../deliver.ts";
import { generationOf } from "../generation.ts";
import type { Generation } from "../generations.ts";
import { relayNotification } from "../notifications.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { relayServerRequest } from "../server-requests.ts";
import { endSession } from "../session/end-session.ts";
import { openSession, respondingIn } from "../session/open-session.ts";
import { resubscribe } from "../session/session-settings.ts";
import type { Upstream } from "../upstream.ts";
import { brokenOff } from "../wire/upstream-failure.ts";
import type { UpstreamMessage } from "../wire/upstream-message.ts";
import type { OpenedStream } from "./hold.ts";
import { isAskedFor, isListening, listenable, resourcesIn } from "./listen-filter.ts";
import { hearSubscription, openSessionStream, openSubscription } from "./subscription.ts";

/** How an agent without session listens at one upstream, in whichever generation that speaks. */
export interface Listening {
  readonly open: (upstream: Upstream, lastEventId: string | undefined) => Promise<OpenedStream | undefined>;
  /** Whether it says anything. */
  readonly heard: (message: Extract<UpstreamMessage, { kind: "whole" }>) => boolean;
  /** What was begun for it ends. */
  readonly end: () => void;
}

/**
 * @param notifications what to listen for, by the upstream's own URIs; what the upstream tells of it goes to the agent's `relay`
 * @param acknowledged takes what the upstream agreed to
 */
export function createListening(notifications: JsonObject, acknowledged: (agreed: JsonObject) => void): Listening {
  let isHeard = true;
  const agreedTo = (agreed: JsonObject): void => {
    isHeard = isListening(agreed);
    acknowledged(agreed);
  };
  let generation: Generation | undefined;
  let session: UpstreamSession | undefined;
  let at: Upstream | undefined;

  async function inOwnSession(upstream: Upstream, lastEventId: string | undefined): Promise<OpenedStream | undefined> {
    const isNew = session === undefined;
    const agreed = session === undefined ? await begin(upstream) : {};
    const current = session;
    if (current === undefined) return undefined;
    const opened = await openSessionStream(current, upstream, isNew ? undefined : lastEventId).catch(
      (cause: unknown) => {
        // Another one begins with the next attempt. Who answers so from the start may have no stream at all.
        if (isNew || !(cause instanceof UpstreamRefusal) || cause.status !== 404) throw cause;
        session = undefined;
        throw brokenOff();
      },
    );
    if (isNew) agreedTo(opened === undefined ? {} : agreed);
    return opened;
  }

  async function begin(upstream: Upstream): Promise<JsonObject> {
    const deadline = startDeadline(upstream.app.timeout);
    try {
      const begun = await openSession(upstream, deadline);
      const { capabilities } = begun.said;
      const agreed = listenable(notifications, isJsonObject(capabilities) ? capabilities : {});
      session = { ...begun.session, subscriptions: resourcesIn(agreed) };
      await resubscribe(session, upstream, upstream.signal);
      return agreed;
    } finally {
      deadline.end();
    }
  }

  return {
    open: async (upstream, lastEventId) => {
      // It has nothing to tell of what is asked for.
      if (!isHeard) return undefined;
      at = upstream;
      generation ??= await generationAt(upstream);
      return generation === "stateless"
        ? openSubscription(notifications, upstream)
        : inOwnSession(upstream, lastEventId);
    },
    heard: (message) => {
      if (at === undefined) return false;
      const upstream = at;
      if (session === undefined) {
        const notified = (told: JsonObject) => relayNotification(told, upstream);
        return hearSubscription(message, { acknowledged: agreedTo, notified });
      }
      const notified = (told: JsonObject) => {
        if (isAskedFor(told, notifications)) relayNotification(told, upstream);
      };
      const asked: Parameters<typeof respondingIn>[1]["asked"] = (request, told, respond) =>
        relayServerRequest(request, told, respond, upstream);
      return dispatch(message, respondingIn(session, { notified, asked }, upstream));
    },
    end: () => {
      if (at === undefined || session === undefined) return;
      const { app, request } = at;
      const tolerate = (cause: unknown) =>
        request.logger.debug("upstream session not ended", { app: app.name, cause: causeOf(cause) });
      request.waitUntil(endSession(session, at).catch(tolerate));
    },
  };
}

async function generationAt(upstream: Upstream): Promise<Generation> {
  const deadline = startDeadline(upstream.app.timeout);
  try {
    return await generationOf(upstream, deadline);
  } finally {
    deadline.end();
  }
}
