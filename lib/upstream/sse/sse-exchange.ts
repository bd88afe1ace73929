import { causeOf } from "../../logging/cause.ts";
import { metaOf } from "../../protocol/mcp/message.ts";
import type { UpstreamAnswer } from "../answer.ts";
import { cancelledMessage } from "../cancelled-message.ts";
import type { Deadline } from "../deadline.ts";
import { deliver, type Listener, refuseInput } from "../deliver.ts";
import type { SpokenUpstream, UpstreamRequest } from "../spoken-upstream.ts";
import type { Upstream } from "../upstream.ts";
import { aborted } from "../wire/upstream-failure.ts";
import type { Connection } from "./connection.ts";
import type { Waiting } from "./routes.ts";

/**
 * A request on a connection, under an id of its own there. The upstream may answer before its HTTP response to the request
 * comes. What the agent gives up is cancelled at the upstream (MCP, Cancellation).
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function exchange(
  connection: Connection,
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const { method, params } = request;
  const signal = AbortSignal.any([upstream.signal, deadline.signal]);
  const { progressToken } = metaOf(params);
  const waiting = connection.begin({ hears: upstream.agent.hearsRequests, progressToken });
  const giveUp = (): void => waiting.fail(aborted());
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    connection.post({ id: waiting.id, method, params }, upstream, signal).catch(waiting.fail);
    const own = { ...request, id: waiting.id };
    const responding = respondingOn(connection, listener, upstream);
    return await deliver(waiting.messages, own, upstream, responding, deadline, refuseInput);
  } catch (cause) {
    if (signal.aborted && method !== "initialize") cancel(waiting, connection, upstream);
    throw cause;
  } finally {
    signal.removeEventListener("abort", giveUp);
    connection.end(waiting);
  }
}

function cancel({ id }: Waiting, connection: Connection, upstream: Upstream): void {
  const message = cancelledMessage(id, upstream.signal);
  const { logger, waitUntil } = upstream.request;
  const tolerate = (cause: unknown) => logger.debug("upstream not told of a cancellation", { cause: causeOf(cause) });
  waitUntil(connection.tell(message, upstream).catch(tolerate));
}

/** The listener of what comes on a connection, where the upstream's requests can be answered. */
export function respondingOn(connection: Connection, listener: Listener, upstream: SpokenUpstream): Listener {
  const { app, request } = upstream;
  const tolerate = (cause: unknown) =>
    request.logger.warn("an upstream's request was not answered", { app: app.name, cause: causeOf(cause) });
  return {
    ...listener,
    asked: (asked, message) =>
      listener.asked(asked, message, (outcome) =>
        request.waitUntil(connection.tell({ id: asked.id, ...outcome }, upstream).catch(tolerate)),
      ),
  };
}
