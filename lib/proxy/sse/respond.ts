import { causeOf } from "../../logging/cause.ts";
import type { Listener } from "../deliver.ts";
import type { Upstream } from "../upstream.ts";
import type { Connection } from "./connection.ts";

/** The listener of what comes on a connection, where the upstream's requests can be answered. */
export function respondingOn(connection: Connection, listener: Listener, upstream: Upstream): Listener {
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
