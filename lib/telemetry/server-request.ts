import { type Attributes, knownMethod } from "./attributes.ts";
import type { RequestTelemetry, Telemetry } from "./telemetry.ts";

/** A request that is being answered. */
export interface ServerRequest {
  readonly telemetry: RequestTelemetry;
  /** The answer has ended. Only the first time counts. */
  end(answer: ServerAnswer): void;
  /** Nothing is done for the request any more: it is none of the active ones. To be called once, after `end`. */
  leave(): void;
}

export interface ServerAnswer {
  readonly status: number;
  /** The template of the path; undefined when nothing is served there. */
  readonly route: string | undefined;
}

/** What clients call: of the public URL. */
export interface ServerAddress {
  readonly "url.scheme": string;
  readonly "server.address": string;
  readonly "server.port": number;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

export function serverAddress(publicURL: string): ServerAddress {
  const { protocol, hostname, port } = new URL(publicURL);
  const scheme = protocol.slice(0, -1);
  return {
    "url.scheme": scheme,
    "server.address": hostname,
    "server.port": port === "" ? (DEFAULT_PORTS[scheme] ?? 0) : Number(port),
  };
}

/** Begins to measure a request, as a part of the trace that its sender names (semantic conventions, HTTP server). */
export function startServerRequest(telemetry: Telemetry, request: Request, address: ServerAddress): ServerRequest {
  const method = knownMethod(request.method);
  const beganAt = performance.now();
  const span = telemetry.startSpan({ name: method, kind: "server", sender: senderTrace(request) });
  telemetry.countActive(method, 1);
  const atEnd: (() => void)[] = [];
  const sessions = new Set<string>();
  const inSession = (sessionHash: string): void => {
    if (sessions.has(sessionHash)) return;
    sessions.add(sessionHash);
    telemetry.countSession(sessionHash, 1);
  };
  let isOver = false;
  return {
    telemetry: { record: telemetry.record, span, atEnd: (work) => void atEnd.push(work), inSession },
    leave: () => {
      telemetry.countActive(method, -1);
      for (const sessionHash of sessions) telemetry.countSession(sessionHash, -1);
    },
    end: ({ status, route }) => {
      if (isOver) return;
      isOver = true;
      for (const work of atEnd) work();
      const failure = errorType(status);
      const attributes: Attributes = {
        "http.request.method": method,
        "url.scheme": address["url.scheme"],
        "http.response.status_code": status,
        ...(route !== undefined && { "http.route": route }),
        ...(failure !== undefined && { "error.type": failure }),
      };
      telemetry.record("http.server.request.duration", (performance.now() - beganAt) / 1_000, attributes);
      if (span === undefined) return;
      if (route !== undefined) span.rename(`${method} ${route}`);
      span.set(attributes);
      span.set(address);
      span.end(failure);
    },
  };
}

function senderTrace({ headers }: Request) {
  return { traceparent: headers.get("traceparent") ?? undefined, tracestate: headers.get("tracestate") ?? undefined };
}

/** What a client does wrong is no error of a server. */
function errorType(status: number): string | undefined {
  return status >= 500 ? String(status) : undefined;
}

/** The same body; `onEnd` runs when it is over: sent whole, given up by its reader, or broken off. */
export function observeBody(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    pull: async (controller) => {
      try {
        const next = await reader.read();
        if (!next.done) {
          controller.enqueue(next.value);
          return;
        }
      } catch (cause) {
        onEnd();
        throw cause;
      }
      onEnd();
      controller.close();
    },
    cancel: async (reason) => {
      onEnd();
      await reader.cancel(reason);
    },
  };
  // Nothing is read ahead: what waits, waits where it did before.
  return new ReadableStream(source, { highWaterMark: 0 });
}
