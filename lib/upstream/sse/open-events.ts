import { essence } from "../../protocol/http/media-type.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { type SpokenUpstream, wireTarget } from "../spoken-upstream.ts";
import { byteSource, decodeUtf8, readWhole } from "../wire/byte-source.ts";
import { FIELD_LIMIT } from "../wire/event-fields.ts";
import { type EventSource, readEventSource } from "../wire/event-source.ts";
import { brokenOff, UpstreamFailure } from "../wire/upstream-failure.ts";
import type { UpstreamMessage } from "../wire/upstream-message.ts";
import { messagesOf, readAnswer } from "../wire/wire-answer.ts";
import { send, type WireTarget } from "../wire/wire-target.ts";

/** A stream of an upstream, on which everything comes that it says. */
export interface OpenedEvents {
  /** Where messages to the upstream are posted. */
  readonly endpoint: string;
  readonly messages: AsyncIterable<UpstreamMessage>;
}

/**
 * Opens a stream and reads as far as the endpoint that it names (MCP 2024-11-05, Transports, HTTP with SSE).
 *
 * @param signal ends the stream
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function openEvents(upstream: SpokenUpstream, signal: AbortSignal): Promise<OpenedEvents> {
  const { app, request } = upstream;
  const onMalformed = ({ message }: UpstreamFailure) =>
    request.logger.debug("a message of an upstream was passed over", { app: app.name, why: message });
  const target = { ...wireTarget(upstream, {}, signal), onMalformed };
  const source = readEventSource(byteSource(await bodyOf(target), signal));
  const endpoint = endpointOf(await readEndpoint(source), app.url);
  return { endpoint, messages: messagesOf(source, onMalformed) };
}

async function bodyOf(target: WireTarget): Promise<ReadableStream<Uint8Array>> {
  const response = await send({ method: "GET" }, { accept: "text/event-stream" }, target);
  const { ok, body, headers } = response;
  if (ok && body !== null && essence(headers.get("content-type")) === "text/event-stream") return body;
  if (!ok) {
    const answer = await readAnswer(response, target);
    if (answer.kind === "refused") throw new UpstreamRefusal(answer);
  }
  // What is thrown away cannot fail any more.
  await body?.cancel().catch(() => undefined);
  throw new UpstreamFailure(
    "not_mcp",
    "The upstream answered GET with no event stream. With `transport: sse` its URL is that of the stream; newer servers take `transport: stream`.",
  );
}

async function readEndpoint({ events }: EventSource): Promise<string> {
  for (;;) {
    const { done, value } = await events.next();
    if (done) throw brokenOff();
    // Nothing else is of use before.
    if (value.type === "endpoint") return decodeUtf8(await readWhole(value.data, FIELD_LIMIT));
  }
}

/**
 * Where messages are posted (MCP 2024-11-05, Transports, HTTP with SSE): the upstream names it, and may name an address of its
 * own origin alone, as the operator vouched for no other.
 *
 * @throws UpstreamFailure `redirect`
 */
export function endpointOf(named: string, configured: string): string {
  const endpoint = URL.canParse(named, configured) ? new URL(named, configured) : undefined;
  const isOwn = endpoint?.origin === new URL(configured).origin;
  if (endpoint === undefined || !isOwn || endpoint.username !== "" || endpoint.password !== "") throw foreign();
  return endpoint.href;
}

function foreign(): UpstreamFailure {
  return new UpstreamFailure(
    "redirect",
    "The upstream's `endpoint` event names no address of the upstream's own origin, and messages are posted to no other.",
  );
}
