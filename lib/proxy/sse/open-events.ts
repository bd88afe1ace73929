import { essence } from "../../http/media-type.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { type Upstream, wireTarget } from "../upstream.ts";
import { byteSource } from "../wire/byte-source.ts";
import { decodeUtf8 } from "../wire/bytes.ts";
import { FIELD_LIMIT } from "../wire/event-fields.ts";
import { type EventSource, readEventSource } from "../wire/event-source.ts";
import { readWhole } from "../wire/incoming.ts";
import { brokenOff, UpstreamFailure } from "../wire/upstream-failure.ts";
import type { UpstreamMessage } from "../wire/upstream-message.ts";
import { messagesOf, readAnswer } from "../wire/wire-answer.ts";
import { send, type WireTarget } from "../wire/wire-target.ts";
import { endpointOf } from "./endpoint.ts";

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
export async function openEvents(upstream: Upstream, signal: AbortSignal): Promise<OpenedEvents> {
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
