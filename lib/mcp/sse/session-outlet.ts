import type { Gateway } from "../../gateway/gateway.ts";
import { causeOf } from "../../logging/cause.ts";
import type { Caller } from "../caller.ts";
import { collectAnswer } from "../collected-answer.ts";
import type { Answer, Outlet } from "../outlet.ts";
import type { SessionSignal } from "../sessions/channel.ts";

/** What comes of requests goes out on the stream of their session, wherever that is held. */
export interface SessionOutlet {
  readonly outlet: Outlet;
  /** Resolves when all of it is out. */
  sent(): Promise<void>;
}

export function sessionOutlet(
  { session, request }: Pick<Caller, "session" | "request">,
  { dependencies }: Pick<Gateway, "dependencies">,
): SessionOutlet {
  const publish = async (signal: SessionSignal, isAnswer: boolean): Promise<void> => {
    const heard = await dependencies.sessionChannel?.publish(session?.reference.sessionHash ?? "", signal);
    if (heard === 0) request.logger.warn("mcp message reached nobody", { isAnswer });
  };
  // In the order in which they came about, and each before the next.
  let sent = Promise.resolve();
  const send = (signal: SessionSignal, isAnswer: boolean): void => {
    sent = sent
      .then(() => publish(signal, isAnswer))
      .catch((cause: unknown) => {
        request.logger.error("mcp message not sent", { cause: causeOf(cause) });
      });
  };
  const answer = (one: Answer) =>
    send("text" in one ? { kind: "text", text: one.text } : { kind: "message", message: one.message }, true);
  return {
    outlet: {
      answer,
      relay: (message) => send({ kind: "message", message }, false),
      openAnswer: (id) => collectAnswer(id, answer),
      hears: true,
    },
    sent: () => sent,
  };
}
