import type { Attributes } from "./attributes.ts";
import { knownMethod } from "./attributes.ts";
import type { RequestTelemetry, Span, Telemetry } from "./telemetry.ts";

type Fetch = typeof globalThis.fetch;

/** `fetch`, and how long each request took to the headers of its answer (semantic conventions, HTTP client). */
export function measuredFetch(fetch: Fetch, { record }: Pick<Telemetry, "record">): Fetch {
  return async (input, init) => {
    const attributes = requestAttributes(input, init);
    const beganAt = performance.now();
    const measure = (outcome: Attributes) =>
      record("http.client.request.duration", (performance.now() - beganAt) / 1_000, { ...attributes, ...outcome });
    try {
      const response = await fetch(input, init);
      measure(answerAttributes(response));
      return response;
    } catch (cause) {
      measure({ "error.type": failureType(cause) });
      throw cause;
    }
  };
}

/**
 * `fetch` as a part of the request's trace: each request is a span, and takes the trace along in its headers.
 *
 * @param templateOf tells the path without what the caller put into it, for example `/notes/{id}`
 */
export function tracedFetch(fetch: Fetch, telemetry: RequestTelemetry | undefined, templateOf: () => string): Fetch {
  const parent = telemetry?.span;
  if (parent === undefined) return fetch;
  const template = templateOf();
  return async (input, init) => {
    const attributes = requestAttributes(input, init);
    const span = parent.startChild({ name: `${attributes["http.request.method"]} ${template}`, kind: "client" });
    span.set({ ...attributes, "url.template": template });
    try {
      const response = await fetch(input, { ...init, headers: withTrace(init?.headers, span) });
      const outcome = answerAttributes(response);
      span.set(outcome);
      span.end(outcome["error.type"]);
      return response;
    } catch (cause) {
      span.end(failureType(cause));
      throw cause;
    }
  };
}

function requestAttributes(input: Parameters<Fetch>[0], init: RequestInit | undefined) {
  const { protocol, hostname, port } = new URL(input instanceof Request ? input.url : input);
  const scheme = protocol.slice(0, -1);
  return {
    "http.request.method": knownMethod(init?.method ?? "GET"),
    "url.scheme": scheme,
    "server.address": hostname,
    "server.port": port === "" ? (scheme === "https" ? 443 : 80) : Number(port),
  };
}

/** For a client every refusal is an error. */
function answerAttributes({ status }: Response) {
  return { "http.response.status_code": status, ...(status >= 400 && { "error.type": String(status) }) };
}

/** The name of what was thrown, for example `TimeoutError`: never its message. */
function failureType(cause: unknown): string {
  return cause instanceof Error && /^[A-Z][A-Za-z]{0,63}$/.test(cause.name) ? cause.name : "_OTHER";
}

function withTrace(headers: RequestInit["headers"], span: Span): Headers {
  const all = new Headers(headers);
  // A tool's argument may be a header of any name: the trace is ours to tell.
  all.delete("tracestate");
  for (const [name, value] of Object.entries(span.headers())) all.set(name, value);
  return all;
}
