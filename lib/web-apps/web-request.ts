import type { AuditPorts } from "../gateway/audit-call.ts";
import { decide } from "../gateway/decision/decide.ts";
import type { WebRequestInput } from "../gateway/decision/policy-input.ts";
import type { DecisionPorts, Refusal } from "../gateway/decision/step.ts";
import { askedWebRequest } from "../gateway/decision/web-request.ts";
import { GatewayError } from "../gateway/gateway-error.ts";
import {
  countDenied,
  countWebRequest,
  type LimitPorts,
  limitWebRequest,
  type WebLimitPorts,
} from "../gateway/limit-calls.ts";
import { type LimitRefusal, refusalHeaders } from "../limits/refusal.ts";
import { foldedName, isPageRequest } from "../protocol/http/field-names.ts";
import type { ForwardedAnswer } from "../reverse-proxy/forward.ts";
import { isRemovedHeader } from "../reverse-proxy/request-headers.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import { anotherSignIn } from "./ask-to-sign-in.ts";
import { type CarryingPorts, carryRequest, declaredLength } from "./carry-request.ts";
import { preflightAnswer, readableHeaders } from "./cross-origin.ts";
import { type LogoutPorts, leaveAtLogoutPath, signedOutPage } from "./logout-path.ts";
import { beginWebRecord, type RecordedUse, recordWebDenial } from "./records.ts";
import { type WebRefusal, webRefusal } from "./refusal.ts";
import type { WebApp, WebRequest } from "./web-apps.ts";
import { routeOf, type WebCaller, type WhoAsksPorts, whoAsks } from "./who-asks.ts";

export type WebAnswer = (
  | /** Of the app. */ { readonly kind: "carried"; readonly answer: ForwardedAnswer }
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
    AuditPorts {
  readonly stores: WhoAsksPorts["stores"] & LogoutPorts["stores"] & AuditPorts["stores"];
  readonly knownSessions: WhoAsksPorts["knownSessions"] & LogoutPorts["knownSessions"];
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
  if (located.isAmbiguous) return denied({ app, asked, context, policy }, AMBIGUOUS, ports);
  const caller = await whoAsks(app, policy, asked, context, ports);
  if ("refusal" in caller) return denied({ app, asked, context, policy }, caller, ports);
  const sender = { identity: "response" in caller ? undefined : caller.principal, request: context };
  const full = await limitWebRequest("known", sender, ports);
  if (full !== undefined) return refused({ app, asked }, limitRefusal(full));
  if ("response" in caller) {
    const response = signedOutPage(app.settings, asked, context) ?? caller.response;
    return { kind: "own", response: readable(response, { app, asked }) };
  }
  const use = { app, asked, context, policy, caller };
  const { principal: identity, attributes } = caller;
  const policyCaller = { identity, attributes, http: request, request: context, sessionId: undefined };
  const question = askedWebRequest(app.settings, located.index, shownRequest(app, asked), policyCaller);
  const refusal = await decide(question, ports);
  if (refusal !== undefined) return denied(use, ofDecision(refusal), ports);
  const counted = await countWebRequest(bodyOf(app, asked), sender, ports);
  if (counted instanceof GatewayError) return denied(use, ofLimit(counted), ports);
  return carried(use, counted, ports);
}

/**
 * Makes the request, between the two halves of its record where all requests are recorded.
 *
 * @param giveBack what limits have counted, where it is not made after all
 */
async function carried(
  use: RecordedUse & { readonly caller: WebCaller },
  giveBack: () => void,
  ports: WebRequestPorts,
): Promise<WebAnswer> {
  const { app, asked, context, caller } = use;
  const record = await beginWebRecord(use, ports);
  if ("refusal" in record) {
    giveBack();
    return refused(use, record.refusal);
  }
  const outcome = await carryRequest(app, asked, caller, context, ports);
  if ("answer" in outcome) {
    record.complete({ outcome: "success", status: outcome.answer.status });
    return { kind: "carried", answer: outcome.answer };
  }
  record.complete({ outcome: "upstream_error", reason: outcome.reason, status: outcome.refusal.status });
  return refused(use, outcome.refusal);
}

/** Why a request is refused, for the client and for the record. */
interface Denial {
  readonly refusal: WebRefusal;
  readonly reason: string;
  readonly details?: Readonly<Record<string, string>> | undefined;
}

const NO_POLICY: Denial = {
  refusal: webRefusal("forbidden", "No policy of this application is about this address."),
  reason: "no_policy",
};

const AMBIGUOUS: Denial = {
  refusal: webRefusal(
    "ambiguous_path",
    "The address can be read in two ways, and different rules hold for them. Write it without double encoding, parameters (;), and dots at the end of a segment.",
  ),
  reason: "ambiguous_path",
};

function shownRequest(app: WebApp, { request, host, path, query }: WebRequest): WebRequestInput {
  return {
    ...{ method: request.method, host, path, query, headers: request.headers },
    isWithheld: (name) => app.ownHeaders.has(foldedName(name)) || isRemovedHeader(name),
  };
}

function ofDecision({ code, message, reason = code, details, needs }: Refusal): Denial {
  const challenge = `Bearer error="insufficient_scope", scope="${needs?.scopes.join(" ")}"`;
  const headers = code === "insufficient_scope" ? { "www-authenticate": challenge } : undefined;
  return { refusal: webRefusal("forbidden", message, headers), reason, details };
}

function bodyOf({ settings }: WebApp, { request }: WebRequest): Parameters<typeof countWebRequest>[0] {
  const length = declaredLength(request.headers);
  // Looking at the body itself would begin to read it.
  const hasBody = length !== undefined ? length > 0 : request.headers.has("transfer-encoding");
  return { app: settings, hasBody, ...(length !== undefined && { length }) };
}

function ofLimit({ message, limit }: GatewayError): Denial {
  const refusal = limit === undefined ? webRefusal("too_many_requests", message) : limitRefusal(limit);
  return { refusal, reason: "limited", ...(limit !== undefined && { details: { limit: limit.name } }) };
}

function limitRefusal(refusal: LimitRefusal): WebRefusal {
  const code = refusal.status === 429 ? "too_many_requests" : "unavailable";
  return webRefusal(code, refusal.message, refusalHeaders(refusal));
}

/** Records what is refused, or counts it. Who is denied too much is told only that. */
async function denied(use: RecordedUse, denial: Denial, ports: WebRequestPorts): Promise<WebAnswer> {
  const { refusal, reason, details } = denial;
  try {
    countDenied({ identity: use.caller?.principal, request: use.context }, ports);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return refused(use, ofLimit(error).refusal);
  }
  const unrecorded = await recordWebDenial(use, { reason, details, status: refusal.status }, ports);
  if (unrecorded !== undefined) return refused(use, unrecorded);
  const otherSignIn = await signInOfAnother(use, ports);
  return refused(use, otherSignIn === undefined ? refusal : { ...refusal, otherSignIn });
}

/** Where a person who may not see a page signs in as somebody else. */
async function signInOfAnother(
  { app, asked, policy, caller }: RecordedUse,
  ports: WebRequestPorts,
): Promise<string | undefined> {
  const { request, path, query } = asked;
  if (caller?.kind !== "person" || policy === undefined || !isPageRequest(request.method, request.headers))
    return undefined;
  return anotherSignIn({ route: routeOf(app.settings, asked), path, query }, app.settings, policy.settings, ports);
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
