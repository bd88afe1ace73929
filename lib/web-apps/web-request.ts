import { accountName } from "../authorization-server/authorize/sign-in-pages.ts";
import type { KnownSessions } from "../directory/known-sessions.ts";
import type { AuditPorts } from "../gateway/audit-call.ts";
import type { NotConnected, PersonTokenOutcome } from "../gateway/credentials/person-token.ts";
import { decide } from "../gateway/decision/decide.ts";
import { NOT_ALLOWED } from "../gateway/decision/policies.ts";
import type { WebRequestInput } from "../gateway/decision/policy-input.ts";
import type { DecisionPorts, Refusal } from "../gateway/decision/step.ts";
import { askedWebRequest } from "../gateway/decision/web-request.ts";
import { GatewayError } from "../gateway/gateway-error.ts";
import { principalOf } from "../gateway/identity.ts";
import {
  countDenied,
  countWebRequest,
  type LimitPorts,
  limitWebRequest,
  type WebLimitPorts,
} from "../gateway/limit-calls.ts";
import { type LimitRefusal, refusalHeaders } from "../limits/refusal.ts";
import { foldedName, isPageRequest } from "../protocol/http/field-names.ts";
import { essence } from "../protocol/http/media-type.ts";
import { hasOtherReadings } from "../protocol/http/path-readings.ts";
import type { ForwardedAnswer } from "../reverse-proxy/forward.ts";
import { connectionNames, isRemovedHeader } from "../reverse-proxy/request-headers.ts";
import type { InstanceStops } from "../stops/instance-stops.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import { askToConnect } from "./ask-to-connect.ts";
import { anotherSignIn } from "./ask-to-sign-in.ts";
import { type CarryingPorts, carryRequest, declaredLength, type OpenedSocket } from "./carry-request.ts";
import { preflightAnswer, readableHeaders } from "./cross-origin.ts";
import { type LogoutPorts, leaveAtLogoutPath, signedOutPage } from "./logout-path.ts";
import { carryWithAccount, foreignChange, type PersonAccountPorts, personAccount } from "./person-account.ts";
import {
  beginWebRecord,
  type CompleteWebRecord,
  type RecordedDenial,
  type RecordedUse,
  recordWebDenial,
} from "./records.ts";
import { type SignedInAccount, type WebRefusal, webRefusal } from "./refusal.ts";
import { foreignOrigin, missingOrigin, refusedHandshake, type SocketRequestPorts } from "./socket-request.ts";
import {
  DENIED,
  type Ending,
  endableBody,
  NOT_CHECKED,
  SESSION_ENDED,
  type StaysOpen,
  type StaysOpenPorts,
  watchOver,
} from "./stays-open.ts";
import type { WebApp, WebPolicy, WebRequest } from "./web-apps.ts";
import { routeOf, type WebCaller, type WhoAsksPorts, whoAsks } from "./who-asks.ts";

export type WebAnswer = (
  | /** Of the app. */ { readonly kind: "carried"; readonly answer: ForwardedAnswer }
  /** A WebSocket of the app. */
  | { readonly kind: "opened"; readonly response: Response }
  /** A complete answer of ours. */
  | { readonly kind: "own"; readonly response: Response }
  | { readonly kind: "refused"; readonly refusal: WebRefusal }
) & {
  /** The person signed out: the browser is to forget the session. */
  readonly endsSession?: true;
};

export interface WebRequestPorts
  extends WhoAsksPorts,
    CarryingPorts,
    LimitingPorts,
    Pick<DecisionPorts, "policies" | "scopes" | "mcpProvider" | "memberships">,
    LogoutPorts,
    SocketRequestPorts,
    PersonAccountPorts,
    StaysOpenPorts,
    AuditPorts {
  readonly stores: WhoAsksPorts["stores"] & LogoutPorts["stores"] & AuditPorts["stores"];
  readonly knownSessions: KnownSessions;
  readonly instanceStops: InstanceStops;
}

type LimitingPorts = LimitPorts & WebLimitPorts;

/** One request, step by step: each may end it with an answer of ours. */
export async function answerWebRequest(
  app: WebApp,
  asked: WebRequest,
  context: RequestContext,
  ports: WebRequestPorts,
): Promise<WebAnswer> {
  const crowded = await limitWebRequest("anonymous", { identity: undefined, request: context }, ports);
  if (crowded !== undefined) return refused({ app, asked }, limitRefusal(crowded));
  const preflight = preflightAnswer(asked.request, app.settings);
  if (preflight !== undefined) return { kind: "own", response: preflight };
  const handshake = asked.isSocket ? refusedHandshake(asked, ports) : undefined;
  if (handshake !== undefined) return refused({ app, asked }, handshake);
  const leaving = await leaveAtLogoutPath(app.settings, asked, context, ports);
  if (leaving === undefined) return answerAsKnown(app, asked, context, ports);
  if (leaving.kind === "asked") return { kind: "own", response: readable(leaving.response, { app, asked }) };
  if (leaving.kind === "refused") return refused({ app, asked }, leaving.refusal);
  const { session } = leaving;
  // The app learns who leaves.
  const knownSessions = { ...ports.knownSessions, resume: async () => session };
  return { ...(await answerAsKnown(app, asked, context, { ...ports, knownSessions })), endsSession: true };
}

/** The steps of whoever is known or not. */
async function answerAsKnown(
  app: WebApp,
  asked: WebRequest,
  context: RequestContext,
  ports: WebRequestPorts,
): Promise<WebAnswer> {
  const { request, path } = asked;
  const located = app.locate(path, request.method);
  const policy = located && app.policies[located.index];
  if (located === undefined || policy === undefined) return denied({ app, asked, context }, NO_POLICY, ports);
  if (located.isAmbiguous || (policy.readsPath && hasOtherReadings(path)))
    return denied({ app, asked, context, policy }, AMBIGUOUS, ports);
  const foreign = asked.isSocket ? foreignOrigin(app, asked, ports) : undefined;
  if (foreign !== undefined) return denied({ app, asked, context, policy }, ofOrigin(foreign), ports);
  const caller = await whoAsks(app, policy, asked, context, ports);
  if ("refusal" in caller) return denied({ app, asked, context, policy }, caller, ports);
  const sender = { identity: "response" in caller ? undefined : caller.principal, request: context };
  const full = await limitWebRequest("known", sender, ports);
  if (full !== undefined) return refused({ app, asked }, limitRefusal(full));
  if ("response" in caller) {
    const response =
      signedOutPage(app.settings, asked, context, ports.configuration().configuration) ?? caller.response;
    return { kind: "own", response: readable(response, { app, asked }) };
  }
  const use = { app, asked, context, policy, caller, index: located.index };
  const unnamed = asked.isSocket ? missingOrigin(asked, caller) : undefined;
  if (unnamed !== undefined) return denied(use, ofOrigin(unnamed), ports);
  const refusal = await decided(use, ports);
  if (refusal !== undefined) return denied(use, ofDecision(refusal), ports);
  const counted = await countWebRequest(bodyOf(app, asked), sender, ports);
  if (counted instanceof GatewayError) return denied(use, ofLimit(counted), ports);
  return carried(use, counted, ports);
}

/** A use of somebody who is known, or need not be. */
interface KnownUse extends RecordedUse {
  readonly policy: WebPolicy;
  /** Of the policy. */
  readonly index: number;
  readonly caller: WebCaller;
}

function decided(use: KnownUse, ports: WebRequestPorts): Promise<Refusal | undefined> {
  const { app, asked, context, caller, index } = use;
  const { principal: identity, attributes } = caller;
  const policyCaller = { identity, attributes, http: asked.request, request: context, sessionId: undefined };
  return decide(askedWebRequest(app.settings, index, shownRequest(app, asked), policyCaller), ports);
}

/**
 * Makes the request, between the two halves of its record where all requests are recorded.
 *
 * @param giveBack what limits have counted, where it is not made after all
 */
async function carried(use: KnownUse, giveBack: () => void, ports: WebRequestPorts): Promise<WebAnswer> {
  const { app, asked, context, caller } = use;
  const foreign = foreignChange(use, ports);
  if (foreign !== undefined) {
    giveBack();
    return denied(use, foreign, ports);
  }
  const account = await personAccount(use, ports);
  if (account !== undefined && account.outcome !== "obtained") {
    giveBack();
    return account.outcome === "not_connected"
      ? notConnected(use, account.needs, ports)
      : denied(use, withoutAccount(account), ports);
  }
  const record = await beginWebRecord(use, ports);
  if ("refusal" in record) {
    giveBack();
    return refused(use, record.refusal);
  }
  const carry = (token?: string) => carryRequest(app, asked, caller, context, ports, token);
  const made = account === undefined ? carry() : carryWithAccount(use, account, carry, ports);
  const outcome = await made.catch((error: unknown) => {
    record.complete({ outcome: "upstream_error", reason: "internal", status: 500 });
    throw error;
  });
  if ("needs" in outcome) {
    record.complete({ outcome: "upstream_error", reason: "not_connected", status: 403 });
    return connecting(use, outcome.needs, ports);
  }
  if ("socket" in outcome) return { kind: "opened", response: opened(use, outcome, record.complete, ports) };
  if ("answer" in outcome) {
    record.complete({ outcome: "success", status: outcome.answer.status });
    return { kind: "carried", answer: watched(use, outcome.answer, ports) };
  }
  record.complete({ outcome: "upstream_error", reason: outcome.reason, status: outcome.refusal.status });
  return refused(use, outcome.refusal);
}

/** The person has to connect an account first: recorded as a denial, and told in a way that a browser can go on from. */
async function notConnected(use: KnownUse, needs: NotConnected, ports: WebRequestPorts): Promise<WebAnswer> {
  const { connector, why } = needs;
  const details = { needs: connector, missing: why };
  const refusal = await recordDenied(use, { reason: "not_connected", details, status: 403 }, ports);
  return refusal === undefined ? connecting(use, needs, ports) : refused(use, refusal);
}

async function connecting(use: KnownUse, needs: NotConnected, ports: WebRequestPorts): Promise<WebAnswer> {
  const told = await askToConnect(use, needs, ports);
  return "refusal" in told ? refused(use, told.refusal) : { kind: "own", response: readable(told.response, use) };
}

/** Why a request that needs the token of a person's account has none. */
function withoutAccount(
  outcome: Exclude<PersonTokenOutcome, { readonly outcome: "obtained" | "not_connected" }>,
): Denial {
  if (outcome.outcome === "no_person") {
    const refusal = webRefusal("forbidden", ({ noPerson }) => noPerson);
    return { refusal, reason: "no_person" };
  }
  const refusal = webRefusal("unavailable", ({ notRenewed }) => notRenewed, { "retry-after": "5" });
  return { refusal, reason: "credential_unavailable", details: { error: outcome.reason } };
}

/** Ties both sides of a WebSocket together. Its record is complete when it is over, so that it tells for how long it was open. */
function opened(
  use: KnownUse,
  { socket, headers }: OpenedSocket,
  complete: CompleteWebRecord,
  ports: WebRequestPorts,
): Response {
  const { acceptSocket } = ports;
  if (acceptSocket === undefined) throw new Error("a WebSocket was opened that nobody can accept");
  const { response, end, closed } = acceptSocket(socket, headers);
  const stop = watchOver(
    staysOpen(use, ({ code, reason }) => end(code, reason), ports),
    ports,
  );
  void closed.then(() => {
    stop();
    complete({ outcome: "success", status: 101 });
  });
  return response;
}

/** A stream of events may go on for days, and is then watched over as a WebSocket is. */
function watched(use: KnownUse, answer: ForwardedAnswer, ports: WebRequestPorts): ForwardedAnswer {
  const { status, headers } = answer;
  if (essence(headers.get("Content-Type")) !== "text/event-stream") return answer;
  const source = answer.body;
  if (source === null) return answer;
  let stop: () => void = () => undefined;
  const { body, end } = endableBody(source, () => stop());
  stop = watchOver(staysOpen(use, end, ports), ports);
  return { status, headers, body };
}

function staysOpen(use: KnownUse, end: StaysOpen["end"], ports: WebRequestPorts): StaysOpen {
  const { context, caller } = use;
  return { sessionHash: caller.sessionHash, decide: () => decidedAnew(use, ports), end, context };
}

/** What is open was allowed to somebody: whether it still would be, to the same one. */
async function decidedAnew(use: KnownUse, ports: WebRequestPorts): Promise<Ending | undefined> {
  const { app, policy, asked, context } = use;
  const caller = await whoAsks(app, policy, asked, context, ports);
  if ("response" in caller) return SESSION_ENDED;
  if ("refusal" in caller) return caller.refusal.code === "unavailable" ? NOT_CHECKED : DENIED;
  if (principalOf(caller.principal) !== principalOf(use.caller.principal)) return SESSION_ENDED;
  const refusal = await decided({ ...use, caller }, ports);
  return refusal === undefined ? undefined : DENIED;
}

/** Why a request is refused, for the client and for the record. */
interface Denial {
  readonly refusal: WebRefusal;
  readonly reason: string;
  readonly details?: Readonly<Record<string, string>> | undefined;
}

const NO_POLICY: Denial = {
  refusal: webRefusal("forbidden", ({ noPolicy }) => noPolicy),
  reason: "no_policy",
};

const AMBIGUOUS: Denial = {
  refusal: webRefusal("ambiguous_path", ({ ambiguous }) => ambiguous),
  reason: "ambiguous_path",
};

function ofOrigin(refusal: WebRefusal): Denial {
  return { refusal, reason: "origin" };
}

function shownRequest(app: WebApp, { request, host, path, query }: WebRequest): WebRequestInput {
  const { headers } = request;
  const named = connectionNames(headers);
  return {
    ...{ method: request.method, host, path, query, headers },
    isWithheld: (name) =>
      app.ownHeaders.has(foldedName(name)) || isRemovedHeader(name) || named.includes(foldedName(name)),
  };
}

function ofDecision({ code, message, reason = code, details, needs }: Refusal): Denial {
  const challenge = `Bearer error="insufficient_scope", scope="${needs?.scopes.join(" ")}"`;
  const headers = code === "insufficient_scope" ? { "www-authenticate": challenge } : undefined;
  const isOperators = code === "denied_by_policy" && message !== NOT_ALLOWED;
  const detail: WebRefusal["detail"] = ({ denied }) => (isOperators ? message : denied(code, message));
  return { refusal: webRefusal("forbidden", detail, headers), reason, details };
}

function bodyOf({ settings }: WebApp, { request }: WebRequest): Parameters<typeof countWebRequest>[0] {
  const length = declaredLength(request.headers);
  // Looking at the body itself would begin to read it.
  const hasBody = length !== undefined ? length > 0 : request.headers.has("transfer-encoding");
  return { app: settings, hasBody, ...(length !== undefined && { length }) };
}

function ofLimit({ message, limit }: GatewayError): Denial {
  const detail: WebRefusal["detail"] = ({ limited }) => limited("", 1, message);
  const refusal = limit === undefined ? webRefusal("too_many_requests", detail) : limitRefusal(limit);
  return { refusal, reason: "limited", ...(limit !== undefined && { details: { limit: limit.name } }) };
}

function limitRefusal(refusal: LimitRefusal): WebRefusal {
  const code = refusal.status === 429 ? "too_many_requests" : "unavailable";
  const { name, retryAfter, message } = refusal;
  return webRefusal(code, ({ limited }) => limited(name, retryAfter, message), refusalHeaders(refusal));
}

/** Records what is refused, or counts it. Who is denied too much is told only that. */
async function denied(use: RecordedUse, denial: Denial, ports: WebRequestPorts): Promise<WebAnswer> {
  const { refusal, reason, details } = denial;
  const other = await recordDenied(use, { reason, details, status: refusal.status }, ports);
  if (other !== undefined) return refused(use, other);
  const signedIn = await signedInAccount(use, denial, ports);
  return refused(use, signedIn === undefined ? refusal : { ...refusal, signedIn });
}

/** The refusal where it cannot be recorded, or was denied too much. */
async function recordDenied(
  use: RecordedUse,
  denial: RecordedDenial,
  ports: WebRequestPorts,
): Promise<WebRefusal | undefined> {
  try {
    countDenied({ identity: use.caller?.principal, request: use.context }, ports);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return ofLimit(error).refusal;
  }
  return recordWebDenial(use, denial, ports);
}

/** As whom a person may not see a page that another account might. What is stopped or limited is so for all accounts. */
async function signedInAccount(
  { app, asked, policy, caller }: RecordedUse,
  { refusal, reason }: Denial,
  ports: WebRequestPorts,
): Promise<SignedInAccount | undefined> {
  const { request, path, query } = asked;
  if (refusal.code !== "forbidden" || reason === "stopped" || policy === undefined) return undefined;
  if (caller?.kind !== "person" || !isPageRequest(request.method, request.headers)) return undefined;
  const route = routeOf(app.settings, asked);
  const otherSignIn = await anotherSignIn({ route, path, query }, app.settings, policy.settings, ports);
  const { connector = "", claims, attributes } = caller;
  const subject = String(attributes[connector]?.sub);
  return otherSignIn === undefined ? undefined : { name: accountName({ claims, subject, connector }), otherSignIn };
}

type Asking = Pick<RecordedUse, "app" | "asked">;

/** A page of the operator's own stands in the place of ours where there is one. */
function refused({ app, asked }: Asking, refusal: WebRefusal): WebAnswer {
  const { settings } = app;
  const { request } = asked;
  const location = isPageRequest(request.method, request.headers) ? ownPageOf(refusal, settings) : undefined;
  if (location !== undefined) {
    const headers = { location, "cache-control": "no-store" };
    return { kind: "own", response: new Response(null, { status: 302, headers }) };
  }
  const headers = { ...refusal.headers, ...readableHeaders(request, settings) };
  return { kind: "refused", refusal: { ...refusal, headers } };
}

function ownPageOf({ status }: WebRefusal, { unauthorizedPage, errorPage }: WebApp["settings"]): string | undefined {
  if (status === 403) return unauthorizedPage;
  return status === 502 || status === 504 ? errorPage : undefined;
}

function readable(response: Response, { app, asked }: Asking): Response {
  for (const [name, value] of Object.entries(readableHeaders(asked.request, app.settings))) {
    response.headers.append(name, value);
  }
  return response;
}
