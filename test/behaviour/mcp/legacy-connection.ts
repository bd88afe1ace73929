import type { RunningRegion } from "../../support/runtime.ts";
import type { Headers } from "../gateway-fixture.ts";
import { type EventReader, readEvents } from "./events.ts";
import { type Agent, legacyURL } from "./fixture.ts";

/** A connection over HTTP+SSE. */
export interface Connection {
  /** Of the answer that the stream is. */
  readonly contentType: string | null;
  readonly events: EventReader;
  /** The URL that messages go to. */
  readonly url: string;
  send(body: unknown, headers?: Headers): Promise<Response>;
  leave(): void;
}

/** Connects as an agent does, up to the event that says where to post. */
export async function connectLegacy(region: RunningRegion, { legacy }: Pick<Agent, "legacy">): Promise<Connection> {
  const leaving = new AbortController();
  const headers = { accept: "text/event-stream", ...legacy };
  const response = await fetch(legacyURL(region), { headers, signal: leaving.signal });
  if (response.status !== 200) throw new Error(`connecting was answered ${response.status}: ${await response.text()}`);
  const events = readEvents(response);
  const first = await events.next();
  if (first?.type !== "endpoint") throw new Error(`the first event is ${first?.type}`);
  const url = new URL(first.data, legacyURL(region)).href;
  return {
    contentType: response.headers.get("content-type"),
    events,
    url,
    send: (body, more = {}) =>
      fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...legacy, ...more },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    leave: () => leaving.abort(),
  };
}
