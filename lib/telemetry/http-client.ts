import type { Forward, ForwardedRequest } from "../reverse-proxy/forward.ts";
import type { Attributes } from "./attributes.ts";
import { knownMethod } from "./attributes.ts";
import type { RequestTelemetry, Span, Telemetry } from "./telemetry.ts";

type Fetch = typeof globalThis.fetch;
type Answered = Pick<Response, "status">;

/** `fetch`, and how long each request took to the headers of its answer (semantic conventions, HTTP client). */
export function measuredFetch(fetch: Fetch, telemetry: Pick<Telemetry, "record">): Fetch {
  return (input, init) => measured(fetchAttributes(input, init), () => fetch(input, init), telemetry);
}

/** The same of requests that are carried for web apps. */
export function measuredForward(forward: Forward, telemetry: Pick<Telemetry, "record">): Forward {
  const send: Forward = (request, carried) =>
    measured(requestAttributes(request.method, request.origin), () => forward(request, carried), telemetry);
  return likeForward(send, forward);
}

async function measured<Answer extends Answered>(
  attributes: Attributes,
  send: () => Promise<Answer>,
  { record }: Pick<Telemetry, "record">,
): Promise<Answer> {
  const beganAt = performance.now();
  const measure = (outcome: Attributes) =>
    record("http.client.request.duration", (performance.now() - beganAt) / 1_000, { ...attributes, ...outcome });
  try {
    const answer = await send();
    measure(answerAttributes(answer));
    return answer;
  } catch (cause) {
    measure({ "error.type": failureType(cause) });
    throw cause;
  }
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
  return (input, init) => {
    const attributes = fetchAttributes(input, init);
    const span = parent.startChild({ name: `${attributes["http.request.method"]} ${template}`, kind: "client" });
    span.set({ ...attributes, "url.template": template });
    return traced(span, () => fetch(input, { ...init, headers: withTrace(init?.headers, span) }));
  };
}

/**
 * `forward` as a part of the request's trace, likewise. The path is the client's own, so that the span is named after the method alone.
 *
 * @param app that the request is carried for
 */
export function tracedForward(forward: Forward, telemetry: RequestTelemetry | undefined, app: string): Forward {
  const parent = telemetry?.span;
  if (parent === undefined) return forward;
  const send: Forward = (request, carried) => {
    const attributes = requestAttributes(request.method, request.origin);
    const span = parent.startChild({ name: attributes["http.request.method"], kind: "client" });
    span.set({ ...attributes, "countersign.app": app });
    return traced(span, () => forward({ ...request, headers: withTrace(headersOf(request), span) }, carried));
  };
  return likeForward(send, forward);
}

/** What stands around it takes bodies as it does. */
function likeForward(send: Forward, { takesOwnStreams }: Forward): Forward {
  return takesOwnStreams === undefined ? send : Object.assign(send, { takesOwnStreams });
}

function headersOf({ headers }: Pick<ForwardedRequest, "headers">): Headers {
  return new Headers([...headers].map(([name, value]) => [name, value]));
}

async function traced<Answer extends Answered>(span: Span, send: () => Promise<Answer>): Promise<Answer> {
  try {
    const answer = await send();
    const outcome = answerAttributes(answer);
    span.set(outcome);
    span.end(outcome["error.type"]);
    return answer;
  } catch (cause) {
    span.end(failureType(cause));
    throw cause;
  }
}

function fetchAttributes(input: Parameters<Fetch>[0], init: RequestInit | undefined) {
  return requestAttributes(init?.method ?? "GET", input instanceof Request ? input.url : String(input));
}

function requestAttributes(method: string, url: string) {
  const { protocol, hostname, port } = new URL(url);
  const scheme = protocol.slice(0, -1);
  return {
    "http.request.method": knownMethod(method),
    "url.scheme": scheme,
    "server.address": hostname,
    "server.port": port === "" ? (scheme === "https" ? 443 : 80) : Number(port),
  };
}

/** For a client every refusal is an error. */
function answerAttributes({ status }: Answered) {
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
