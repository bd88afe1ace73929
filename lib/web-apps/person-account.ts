import type { CallConnections } from "../connections/person-connections.ts";
import { bodyWithoutEcho, headersWithoutEcho } from "../gateway/credentials/echoed-token.ts";
import {
  insufficientScope,
  type NotConnected,
  obtainPersonToken,
  type PersonTokenOutcome,
} from "../gateway/credentials/person-token.ts";
import type { OrganizationOf } from "../gateway/organization.ts";
import { discard } from "../reverse-proxy/watched-answer.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import type { Carried } from "./carry-request.ts";
import { isFromElsewhere } from "./logout-path.ts";
import { type WebRefusal, webRefusal } from "./refusal.ts";
import type { WebApp, WebRequest } from "./web-apps.ts";
import type { WebCaller } from "./who-asks.ts";

export interface PersonAccountPorts {
  /** Absent: no app needs accounts of people. */
  readonly connections?: CallConnections | undefined;
  readonly organizationOf: OrganizationOf;
  readonly ownIssuer: string | undefined;
}

/** Whose request it is, and of which app. */
export interface AccountUse {
  readonly app: WebApp;
  readonly asked: WebRequest;
  readonly caller: WebCaller;
  readonly context: RequestContext;
}

/**
 * The token of the person's own account that a request carries (D221). Undefined where the app takes none, and where the policy lets
 * everybody in: nobody is asked who they are. Whoever signs out is not asked to connect before.
 *
 * @param refused a token that the upstream does not take
 */
export async function personAccount(
  { app: { settings }, asked, caller, context }: AccountUse,
  { connections, organizationOf, ownIssuer }: PersonAccountPorts,
  refused?: string,
): Promise<PersonTokenOutcome | undefined> {
  const { outbound } = settings;
  if (outbound === undefined || caller.kind === "nobody") return undefined;
  if (connections === undefined) return { outcome: "unavailable", reason: "no_connections" };
  const terms = { outbound, scopes: outbound.scopes };
  const call = { identity: caller.principal, request: context };
  const outcome = await obtainPersonToken(settings, terms, call, { connections, organizationOf, ownIssuer }, refused);
  return outcome.outcome !== "obtained" && asked.path === settings.logoutPath ? undefined : outcome;
}

/**
 * A change, or a WebSocket, that a page from elsewhere wants made with the token of whoever is signed in: what takes such tokens has no
 * protection of its own, as no browser adds them (CSRF). Undefined: it is none.
 */
export function foreignChange(
  { app: { settings }, asked, caller }: AccountUse,
  ports: { readonly publicURL: URL },
): { readonly refusal: WebRefusal; readonly reason: string } | undefined {
  if (settings.outbound === undefined || caller.kind !== "person") return undefined;
  const isChange = asked.isSocket || !SAFE.has(asked.request.method);
  if (!isChange || !isFromElsewhere(settings, asked, ports)) return undefined;
  return { refusal: webRefusal("forbidden", (texts) => texts.foreignChange), reason: "foreign_origin" };
}

/** RFC 9110 §9.2.1. */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

type Obtained = Extract<PersonTokenOutcome, { readonly outcome: "obtained" }>;

/** The upstream takes the token no more, or asks for more scopes: the person has to connect before the request can be made. */
export interface NotEnough {
  readonly needs: NotConnected;
}

/**
 * Carries a request with the person's token, and takes the token out of what comes back. After a 401 of the upstream the token is renewed
 * once, where the request can be made again: it has no body that is gone.
 *
 * @param carry makes the request with a token
 */
export async function carryWithAccount(
  use: AccountUse,
  account: Obtained,
  carry: (token: string) => Promise<Carried>,
  ports: PersonAccountPorts,
): Promise<Carried | NotEnough> {
  const first = await carry(account.token);
  const renewed =
    isRefused(first) && isRepeatable(use.asked) ? await personAccount(use, ports, account.token) : undefined;
  if (renewed?.outcome === "obtained") {
    drop(first);
    return checked(await carry(renewed.token), renewed, [account.token, renewed.token]);
  }
  if (renewed?.outcome === "not_connected") {
    drop(first);
    return { needs: renewed.needs };
  }
  return checked(first, account, [account.token]);
}

/** A challenge for other credentials alone says nothing of the token (RFC 9110 §11.6.1). */
function isRefused(carried: Carried): boolean {
  if (!("answer" in carried) || carried.answer.status !== 401) return false;
  const challenge = carried.answer.headers.get("www-authenticate");
  return challenge === null || /\bbearer\b/i.test(challenge);
}

/** Requests of these methods are carried without a body, and ask for no change (RFC 9110 §9.2.1). */
function isRepeatable({ request: { method } }: WebRequest): boolean {
  return method === "GET" || method === "HEAD";
}

/** @param tokens that the upstream has seen in this request */
function checked(carried: Carried, account: Obtained, tokens: readonly string[]): Carried | NotEnough {
  if ("socket" in carried) return { ...carried, headers: tokens.reduce(headersWithoutEcho, carried.headers) };
  if (!("answer" in carried)) return carried;
  const { status, headers, body } = carried.answer;
  const needs = insufficientScope(status, headers.get("www-authenticate"), account);
  if (needs !== undefined) {
    drop(carried);
    return { needs };
  }
  return {
    answer: {
      status,
      headers: tokens.reduce(headersWithoutEcho, headers),
      body: body && tokens.reduce(bodyWithoutEcho, body),
    },
  };
}

function drop(carried: Carried): void {
  if ("answer" in carried) discard(carried.answer);
}
