import type { UpstreamStates } from "../gateway/upstream-states.ts";
import type { JsonObject } from "../kernel/json.ts";
import { causeOf } from "../logging/cause.ts";
import { clientHeaders } from "../reverse-proxy/answer-headers.ts";
import { carry } from "../reverse-proxy/carry.ts";
import type { CarryFailure } from "../reverse-proxy/exchange.ts";
import type { ForwardedAnswer, ForwardedRequest, UpstreamSocket } from "../reverse-proxy/forward.ts";
import { upstreamHeaders } from "../reverse-proxy/request-headers.ts";
import { answerInPieces } from "../reverse-proxy/watched-answer.ts";
import { tracedForward } from "../telemetry/http-client.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import { type AssertionPorts, signAssertion } from "./assertion.ts";
import { type IdentityHeaderSources, identityHeaders } from "./identity-headers.ts";
import { type WebRefusal, webRefusal } from "./refusal.ts";
import type { WebApp, WebRequest } from "./web-apps.ts";
import type { WebCaller } from "./who-asks.ts";

/** How long either side may be silent in the middle of a body, milliseconds. */
const SILENCE = 60_000;

export interface CarryingPorts {
  readonly publicURL: URL;
  readonly upstreams: Pick<UpstreamStates, "note">;
  /** Hosts of the instance itself. */
  readonly ownHosts: ReadonlySet<string>;
  /** Names of the cookies that are ours. */
  readonly ownCookies: readonly string[];
  /** Absent: nothing is signed. */
  readonly assertions: AssertionPorts | undefined;
  /** The body is about to be carried as a stream. */
  readonly streamsBody?: (() => void) | undefined;
}

/** The app's answer, or why there is none; `reason` is for the record. */
export type Carried =
  | { readonly answer: ForwardedAnswer }
  | OpenedSocket
  | { readonly refusal: WebRefusal; readonly reason: CarryFailure | "bad_headers" | "bad_identity" };

/** The app opened a WebSocket. */
export interface OpenedSocket {
  readonly socket: UpstreamSocket;
  /** For the client. */
  readonly headers: Headers;
}

type NotCarried = Extract<Carried, { readonly refusal: WebRefusal }>;

/**
 * Sends a request that may be made to its app, with who asks, and gives back the answer as the client gets it.
 *
 * @param token of the person's own account; the answer comes as it is, with it where the app repeats it
 */
export async function carryRequest(
  app: WebApp,
  asked: WebRequest,
  caller: WebCaller,
  context: RequestContext,
  ports: CarryingPorts,
  token?: string,
): Promise<Carried> {
  const set = await ownHeaders(app, caller, context, ports);
  if ("refusal" in set) return set;
  const request = await forwarded(
    withToken(app, token),
    asked,
    [...set.headers, ...credentialFields(token)],
    context,
    ports,
  );
  if ("refusal" in request) return request;
  if (request.body !== null) ports.streamsBody?.();
  const { timeout, maxBody } = app.settings;
  const limits = { timeout, maxBody, silence: SILENCE };
  const forward = tracedForward(app.forward, context.telemetry, app.settings.name);
  const outcome = await carry(request, limits, { forward, carried: asked.request });
  ports.upstreams.note(app.settings.name, outcome.kind === "answer" ? {} : { reason: outcome.reason });
  if (outcome.kind === "answer") return clientAnswer(app, asked, caller, outcome.answer, ports);
  const { reason, cause } = outcome;
  context.logger.warn("web app did not answer", {
    app: app.settings.name,
    reason,
    cause: cause === undefined ? undefined : causeOf(cause),
  });
  return { refusal: failureRefusal(reason, maxBody), reason };
}

type Field = readonly [name: string, value: string];

/** What only we say: the headers of the configuration, and the assertion. */
async function ownHeaders(
  { settings }: WebApp,
  caller: WebCaller,
  { requestId }: RequestContext,
  { assertions }: CarryingPorts,
): Promise<{ readonly headers: readonly Field[] } | NotCarried> {
  const sources = carriedIdentity(caller);
  const filled = identityHeaders(settings.headers, { ...sources, requestId });
  if ("fault" in filled) {
    const { name } = filled;
    const refusal = webRefusal("bad_identity", ({ controlCharacter }) => controlCharacter(name));
    return { refusal, reason: "bad_identity" };
  }
  const { assertion } = settings;
  const { principal, claims } = caller;
  if (assertion === undefined || assertions === undefined || principal === undefined) return { headers: filled };
  const { issuer } = principal;
  const subject =
    principal.agent === undefined ? principal.user.sub : (principal.user?.sub ?? principal.agent.clientID);
  const signed = await signAssertion(assertion, { subject, issuer, claims }, assertions);
  return { headers: [...filled, [assertion.header, signed]] };
}

/** Of parts of an answer nobody can tell whether they are parts of the token: the client may not ask for some. */
function withToken(app: WebApp, token: string | undefined): WebApp {
  if (token === undefined) return app;
  return { ...app, ownHeaders: new Set([...app.ownHeaders, "range", "if_range", "if-range"]) };
}

/** What is compressed cannot be looked through for the token. */
function credentialFields(token: string | undefined): readonly Field[] {
  if (token === undefined) return [];
  return [
    ["authorization", `Bearer ${token}`],
    ["accept-encoding", "identity"],
  ];
}

/** Of whom headers tell. */
export function carriedIdentity({ principal, attributes }: WebCaller): Omit<IdentityHeaderSources, "requestId"> {
  const agent = principal?.agent?.clientID;
  return {
    attributes,
    ...(principal?.user !== undefined && { user: principal.user as JsonObject }),
    ...(agent !== undefined && { agentClientID: agent }),
  };
}

async function forwarded(
  { settings, upstream, ownHeaders: own }: WebApp,
  { request, fields, host, path, query, isSocket }: WebRequest,
  set: readonly Field[],
  { remoteAddress }: RequestContext,
  { publicURL, ownCookies }: CarryingPorts,
): Promise<ForwardedRequest | NotCarried> {
  const { stripPrefix, forwardAuthorization, preserveHost } = settings;
  const scheme = publicURL.protocol === "https:" ? "https" : "http";
  const facts = { scheme, host, ...(remoteAddress !== undefined && { remoteAddress }) } as const;
  const rules = { own, ownCookies, forwardAuthorization, preserveHost };
  const headers = upstreamHeaders(fields ?? request.headers, set, facts, rules);
  if ("fault" in headers) return { refusal: HEADER_FAULTS[headers.fault], reason: "bad_headers" };
  // It would show the client what only the upstream is told (RFC 9110 §9.3.8).
  if (request.method === "TRACE") return { refusal: NOT_CARRIED.trace, reason: "bad_headers" };
  // The upstream would get the encoded bytes without a word about it (RFC 9112 §6.1).
  const coding = request.headers.get("transfer-encoding");
  if (coding !== null && coding.toLowerCase() !== "chunked")
    return { refusal: NOT_CARRIED.coding, reason: "bad_headers" };
  const length = declaredLength(request.headers);
  const body = bodyOf(request);
  if (body === null && ((length ?? 0) > 0 || request.headers.has("transfer-encoding"))) {
    const { method } = request;
    return { refusal: webRefusal("bad_headers", ({ content }) => content(method)), reason: "bad_headers" };
  }
  return {
    method: request.method,
    origin: upstream.origin,
    path: `${upstream.path}${withoutPrefix(path, stripPrefix)}${query}`,
    headers,
    body,
    ...(body !== null && length !== undefined && { length }),
    signal: request.signal,
    ...(isSocket && { upgrade: true }),
  };
}

/** Requests of these methods have none (Fetch section 5.4); to look for it, Node would make a second request object. */
function bodyOf(request: Request): Request["body"] {
  return request.method === "GET" || request.method === "HEAD" ? null : request.body;
}

const HEADER_FAULTS = {
  connection_names_ours: webRefusal("bad_headers", ({ connectionNamesOurs }) => connectionNamesOurs),
  header: webRefusal("bad_identity", ({ noHeader }) => noHeader),
} as const;

const NOT_CARRIED = {
  trace: webRefusal("not_carried", ({ trace }) => trace),
  coding: webRefusal("not_carried", ({ coding }) => coding),
} as const;

function withoutPrefix(path: string, prefix: string): string {
  if (prefix === "" || !(path === prefix || path.startsWith(`${prefix}/`))) return path;
  return path.slice(prefix.length) || "/";
}

/** Bytes that a request says its body has; undefined: it does not, or says it in two ways. */
export function declaredLength(headers: Headers): number | undefined {
  if (headers.has("transfer-encoding")) return undefined;
  const text = headers.get("content-length");
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

function clientAnswer(
  app: WebApp,
  { host }: WebRequest,
  caller: WebCaller,
  answer: ForwardedAnswer,
  { publicURL, ownCookies, ownHosts }: CarryingPorts,
): Carried {
  const { protocol } = publicURL;
  const facts = {
    upstream: app.upstream.url,
    publicOrigin: `${protocol}//${host}`,
    stripPrefix: app.settings.stripPrefix,
    ownCookies,
    isPrivate: caller.kind !== "nobody",
    isOfPerson: app.settings.outbound !== undefined && caller.kind !== "nobody",
    sharesOrigin: ownHosts.has(host),
  };
  const { status, pieces, socket } = answer;
  const headers = clientHeaders(answer.headers, facts);
  if (socket !== undefined) return { socket, headers };
  if (pieces === undefined) return { answer: { status, headers, body: answer.body } };
  return { answer: answerInPieces({ status, headers }, pieces, () => answer.body) };
}

function failureRefusal(reason: CarryFailure, maxBody: number): WebRefusal {
  switch (reason) {
    case "too_large":
      return webRefusal("body_too_large", ({ tooLarge }) => tooLarge(maxBody));
    case "timeout":
      return webRefusal("upstream_timeout", ({ timeout }) => timeout);
    case "malformed":
      return webRefusal("upstream_malformed", ({ malformed }) => malformed);
    case "client_left":
      return webRefusal("bad_headers", ({ incomplete }) => incomplete);
    default:
      return webRefusal("upstream_unreachable", ({ unreachable }) => unreachable);
  }
}
