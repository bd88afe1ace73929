import type { IncomingMessage, ServerResponse } from "node:http";
import { accepts } from "../guard.ts";
import { header, refuse } from "../http.ts";
import { PRIMING_REVISION } from "./initialize.ts";
import { readEventId } from "./replayable-stream.ts";
import { isRefusal, requireSession } from "./require-session.ts";
import { openStream, type Session, type Sessions } from "./session.ts";

/** A GET: the stream that belongs to no request, or the rest of one that broke off (MCP 2025-11-25, Transports). */
export function sessionGet(request: IncomingMessage, response: ServerResponse, sessions: Sessions): void {
  const session = requireSession(request, sessions);
  const lastEventId = header(request, "last-event-id");
  if (!accepts(request, "text/event-stream")) refuse(response, 406, "Accept must name text/event-stream.");
  else if (isRefusal(session)) refuse(response, session.status, session.message);
  else if (lastEventId === undefined) openStandalone(response, session);
  else resume(lastEventId, response, session);
}

function openStandalone(response: ServerResponse, session: Session): void {
  const { standalone = "", streams } = session;
  if (streams.get(standalone)?.isAttached()) {
    refuse(response, 409, "There is such a stream already.");
    return;
  }
  streams.delete(standalone);
  const { name, stream } = openStream(session);
  session.standalone = name;
  stream.attach(response, { seen: 0, primed: session.protocolVersion === PRIMING_REVISION });
}

function resume(lastEventId: string, response: ServerResponse, { streams }: Session): void {
  const seen = readEventId(lastEventId);
  const stream = streams.get(seen?.stream ?? "");
  if (seen === undefined || stream === undefined) {
    refuse(response, 400, "Last-Event-ID is of no open stream.");
    return;
  }
  stream.hangUp();
  stream.attach(response, { seen: seen.number, primed: false });
}

/** A DELETE ends the session. */
export function sessionDelete(request: IncomingMessage, response: ServerResponse, sessions: Sessions): void {
  const session = requireSession(request, sessions);
  if (isRefusal(session)) {
    refuse(response, session.status, session.message);
    return;
  }
  session.end();
  response.writeHead(204).end();
}
