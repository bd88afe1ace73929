import { randomUUID } from "node:crypto";
import type { Change, Changes } from "../changes.ts";
import type { LogLevel } from "../context.ts";
import { isObject, type JsonObject, notificationMessage, type RequestId, type RpcResponse } from "../json-rpc.ts";
import { createStream, type ReplayableStream } from "./replayable-stream.ts";

/** What lasts from `initialize` to `DELETE`. */
export interface Session {
  readonly id: string;
  readonly protocolVersion: string;
  readonly clientCapabilities: JsonObject;
  isInitialized: boolean;
  level: LogLevel;
  readonly subscribed: Set<string>;
  /** Requests that are being answered, with what cancels each. */
  readonly running: Map<RequestId, AbortController>;
  readonly streams: Map<string, ReplayableStream>;
  /** The name of the stream that belongs to no request; there is one once the client has asked for it. */
  standalone: string | undefined;
  /** What waits for the client's answers, by the ids of the requests. */
  readonly asked: Map<RequestId, (response: RpcResponse) => void>;
  /** Unique in the session. */
  nextNumber(): number;
  end(): void;
}

export type Sessions = Map<string, Session>;

export function startSession(
  protocolVersion: string,
  capabilities: unknown,
  sessions: Sessions,
  changes: Changes,
): Session {
  let number = 0;
  const session: Session = {
    id: randomUUID(),
    protocolVersion,
    clientCapabilities: isObject(capabilities) ? capabilities : {},
    isInitialized: false,
    level: "info",
    subscribed: new Set(),
    running: new Map(),
    streams: new Map(),
    standalone: undefined,
    asked: new Map(),
    nextNumber: () => ++number,
    end: () => {
      stopListening();
      sessions.delete(session.id);
      for (const controller of session.running.values()) controller.abort();
      for (const stream of session.streams.values()) stream.hangUp();
    },
  };
  const stopListening = changes.listen((change) => tell(session, change));
  sessions.set(session.id, session);
  return session;
}

export function openStream(session: Session): { readonly name: string; readonly stream: ReplayableStream } {
  const name = `stream${session.nextNumber()}`;
  const stream = createStream(name, () => session.streams.delete(name));
  session.streams.set(name, stream);
  return { name, stream };
}

/** Tells a client that listens; what nobody listens to is lost. */
function tell(session: Session, change: Change): void {
  const stream = session.streams.get(session.standalone ?? "");
  if ("list" in change) stream?.send(notificationMessage(`notifications/${change.list}/list_changed`, {}));
  else if (session.subscribed.has(change.uri))
    stream?.send(notificationMessage("notifications/resources/updated", { uri: change.uri }));
}
