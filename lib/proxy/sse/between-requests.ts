import type { LiveSession } from "../../mcp/caller.ts";
import type { SessionChannel } from "../../mcp/sessions/channel.ts";
import { askedByUpstream } from "../asked.ts";
import { toldByUpstream } from "../told.ts";
import type { Upstream } from "../upstream.ts";
import type { Connection } from "./connection.ts";
import { respondingOn } from "./respond.ts";

/** Ends a connection with the agent's session that it belongs to. Rejects when the session cannot be followed. */
export async function endWithSession(
  { closed, close }: Connection,
  { reference }: LiveSession,
  channel: SessionChannel,
): Promise<void> {
  const following = await channel.follow(reference.sessionHash, ({ kind }) => {
    if (kind === "ended") close();
  });
  // Its end may have been missed.
  void following.lost.then(close);
  if (closed.aborted) following.stop();
  else closed.addEventListener("abort", following.stop, { once: true });
}

/**
 * What the upstream says while no request of the session runs goes out on the session's stream, if its agent holds one.
 *
 * @param upstream as the last request reached it
 */
export function hearBetweenRequests(
  connection: Connection,
  { reference }: LiveSession,
  upstream: Upstream,
  channel: SessionChannel,
): void {
  const agent: Upstream["agent"] = {
    ...upstream.agent,
    params: {},
    hearsRequests: true,
    relay: (message) => void channel.publish(reference.sessionHash, { kind: "message", message }),
    openAnswer: () => {
      throw new Error("nothing is answered between requests");
    },
  };
  const between: Upstream = { ...upstream, agent, signal: connection.closed };
  const listener = {
    notified: (message) => toldByUpstream(message, between),
    asked: (asked, message, respond) => askedByUpstream(asked, message, respond, between),
  } satisfies Parameters<typeof respondingOn>[1];
  connection.hearOthers(respondingOn(connection, listener, between));
}
