import { base64url } from "../../encoding.ts";
import type { JsonObject } from "../../json.ts";
import { INTERNAL_ERROR } from "../../mcp/json-rpc.ts";
import type { RequestId, RpcRequest } from "../../mcp/message.ts";
import type { Following, SessionSignal } from "../../mcp/sessions/channel.ts";
import { askedByUpstream } from "../asked.ts";
import type { Deadline } from "../deadline.ts";
import type { Listener, Respond } from "../deliver.ts";
import { waitingId } from "../request-ids.ts";
import type { Upstream } from "../upstream.ts";

export interface Asking {
  readonly listener: Listener;
  /** No answer is waited for any more. */
  stop(): void;
}

/**
 * Carries the agent's answers to a connection that nobody but this request knows of: they come by the channel of the agent's
 * session, and are posted with the credential of this request.
 */
export function askingFor(listener: Listener, upstream: Upstream, deadline: Deadline): Asking {
  const { agent, app, shared } = upstream;
  const { sessionChannel: channel, random } = shared.dependencies;
  const { session } = agent;
  if (channel === undefined || session === undefined) return { listener, stop: ignore };
  const open = new Map<RequestId, { readonly id: RequestId; readonly respond: Respond }>();
  let following: Promise<Following> | undefined;

  const receive = (signal: SessionSignal): void => {
    if (signal.kind !== "response") return;
    const asked = open.get(signal.id);
    open.delete(signal.id);
    asked?.respond(outcomeIn(signal.message));
  };

  async function ask({ id }: RpcRequest, message: JsonObject, respond: Respond): Promise<void> {
    const waiting = waitingId(app.name, base64url(random.bytes(16)));
    open.set(waiting, { id, respond });
    // Whoever answers at once is heard as well.
    following ??= channel?.follow(session?.reference.sessionHash ?? "", receive);
    try {
      await following;
      agent.relay({ ...message, id: waiting });
    } catch {
      // The upstream is told, which is whom it concerns.
      open.delete(waiting);
      respond({ error: { code: INTERNAL_ERROR, message: "The client's answer could not be heard." } });
    }
  }

  return {
    listener: {
      ...listener,
      asked: (asked, message, respond = ignore) => {
        const relay = (wrapped: JsonObject) => void ask(asked, wrapped, respond);
        askedByUpstream(asked, message, respond, { ...upstream, agent: { ...agent, relay } }, deadline);
      },
    },
    stop: () => void following?.then(({ stop }) => stop(), ignore),
  };
}

function outcomeIn({ result, error }: JsonObject): Parameters<Respond>[0] {
  return result === undefined ? { error: error as JsonObject } : { result: result as JsonObject };
}

function ignore(): void {
  // Nobody asked.
}
