import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { OutboundError } from "../../../lib/net/outbound.ts";
import { proxiesOf } from "../../../lib/net/proxies.ts";
import { isMachineAddress } from "../../../lib/net/public-address.ts";
import type { Forward, ForwardedAnswer, ForwardedRequest } from "../../../lib/reverse-proxy/forward.ts";
import { answerInPieces } from "../../../lib/reverse-proxy/watched-answer.ts";
import { type ConfiguredOutboundOptions, openedEntry } from "./configured-outbound.ts";
import type { TlsOptions } from "./connection-tls.ts";
import { readHeaders } from "./dispatched-answer.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import { type LazyConnections, lazyConnections, watchedConnections } from "./open-fetch.ts";

export interface ConfiguredForwardOptions extends ConfiguredOutboundOptions {
  /** For tests, whose names lead nowhere. */
  readonly resolve?: typeof lookup;
}

/**
 * `forward` on Node and Lambda: HTTP/1.1 on connections of undici, with the settings of the configuration and the proxies of the
 * environment. Bytes are passed on as they come, both ways, and no side is read faster than the other takes it. The files of an
 * entry are read at its first use.
 * @throws OutboundError when a proxy of the environment is no URL
 */
export function configuredForward(options: ConfiguredForwardOptions): Dependencies["forward"] {
  const { environment, resolve = lookup } = options;
  const proxies = proxiesOf(environment);
  const open = (tls: TlsOptions) => lazyConnections({ tls, isHttp1: true, lookup: checkedLookup(resolve) }, proxies);
  const direct = open({});
  const plain = forwardOn(() => direct);
  const opened = new Map<string, Forward>();
  return (name) => {
    if (name === undefined) return plain;
    const known =
      opened.get(name) ??
      openedEntry(name, options, (entry, report) => forwardOn(watchedConnections(entry, { report }, open)));
    opened.set(name, known);
    return known;
  };
}

function forwardOn(connections: () => LazyConnections): Forward {
  let checkedOrigin = "";
  return async (request) => {
    const { signal, origin } = request;
    signal.throwIfAborted();
    // Names are checked when they are resolved, addresses are none.
    if (origin !== checkedOrigin && isMachineAddress(hostOf(origin))) throw new OutboundError(REFUSED);
    checkedOrigin = origin;
    const { dispatcher } = await connections().load();
    // It may have come meanwhile.
    signal.throwIfAborted();
    const exchange = exchangeOf(request);
    try {
      dispatcher.dispatch(optionsOf(request), exchange.handler);
    } catch (cause) {
      exchange.fail(new OutboundError(UNSENT, { cause }));
    }
    return exchange.answer;
  };
}

function exchangeOf({ method, signal }: ForwardedRequest): Exchange<ForwardedAnswer> {
  return createExchange<ForwardedAnswer>(signal, {
    answer: ({ status, headers: told, socket }, pieces) => {
      const answer = { status, headers: readHeaders(told) };
      if (socket !== undefined) return { ...answer, body: null, socket };
      return pieces === null || method === "HEAD" ? { ...answer, body: null } : answerInPieces(answer, pieces);
    },
    failure: (cause, hasBegun) => new OutboundError(hasBegun ? BROKEN_OFF : UNREACHED, { cause }),
  });
}

function optionsOf({
  method,
  origin,
  path,
  headers,
  body,
  length,
  upgrade,
}: ForwardedRequest): Dispatcher.DispatchOptions {
  const isEmpty = body === null || length === 0;
  return {
    origin,
    path,
    method: method as Dispatcher.HttpMethod,
    headers: fieldsOf(headers, isEmpty ? undefined : length),
    body: isEmpty ? null : (piecesOf(body) as unknown as NonNullable<Dispatcher.DispatchOptions["body"]>),
    ...(upgrade && { upgrade: "websocket" }),
    // Whoever carries the request decides how long it waits.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/**
 * The pieces of a body, which is left as it is when the upstream wants no more of it: cancelling it would end the client's
 * connection, and with it an answer that came early.
 */
function piecesOf(body: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  return body.values({ preventCancel: true });
}

/** Names and values in turn. How the message is framed is said by the connection, not by what the client had. */
function fieldsOf(headers: ForwardedRequest["headers"], length: number | undefined): string[] {
  const fields: string[] = [];
  for (const [name, value] of headers) if (!FRAMING.has(name)) fields.push(name, value);
  if (length !== undefined) fields.push("content-length", String(length));
  return fields;
}

const FRAMING: ReadonlySet<string> = new Set(
  "connection content-length expect keep-alive proxy-connection transfer-encoding upgrade".split(" "),
);

/** One address that is refused is enough: which of them is taken is not foreseen. */
function checkedLookup(resolve: typeof lookup): LookupFunction {
  return (hostname, options, callback) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      const isRefused = error === null && addresses.some(({ address }) => isMachineAddress(address));
      const failure = isRefused ? new OutboundError(REFUSED) : error;
      if (failure !== null || first === undefined) callback(failure ?? new OutboundError(UNREACHED), "", 0);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}

/** Without the brackets of IPv6. An origin that is none fails when it is asked. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname.replace(/^\[|\]$/g, "") : "";
}

const UNREACHED = "The upstream could not be reached.";
const BROKEN_OFF = "The answer of the upstream broke off.";
const UNSENT = "The request cannot be sent as it is.";
const REFUSED = "The upstream's address is link-local or that of a metadata service.";
