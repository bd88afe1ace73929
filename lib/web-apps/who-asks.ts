import type { WebAppConfiguration } from "../config/web-app-configuration.ts";
import type { Identity, PersonIdentity, Principal } from "../gateway/identity.ts";
import type { Memberships } from "../gateway/memberships.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Attributes } from "../policy/policy.ts";
import { isBelow } from "../protocol/http/request-target.ts";
import { type RoutePattern, withoutPort } from "../reverse-proxy/routes.ts";
import { personId } from "../stores/identities.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import { askToSignIn } from "./ask-to-sign-in.ts";
import type { AttemptPorts } from "./attempt.ts";
import { type CallerPorts, type KnownPerson, knownPerson } from "./caller.ts";
import { knownProgram, type ProgramPorts } from "./program.ts";
import { type WebRefusal, webRefusal } from "./refusal.ts";
import type { WebApp, WebPolicy, WebRequest } from "./web-apps.ts";

/** Who asks, as decisions, headers and records learn of it. */
export interface WebCaller {
  readonly kind: "person" | "program" | "nobody";
  /** Undefined: nobody is known. */
  readonly principal: Principal | undefined;
  /** Claims by connector. */
  readonly attributes: Attributes;
  /** Of the person's sign-in, or of the program's token. */
  readonly claims: JsonObject;
  /** At which the person signed in. */
  readonly connector?: string;
  /** Names the person's session. */
  readonly sessionHash?: string;
}

/** Nobody may go on: an answer of ours, or a refusal with its reason for the record. */
export type Unknown =
  | { readonly response: Response }
  | { readonly refusal: WebRefusal; readonly reason: string; readonly details?: Readonly<Record<string, string>> };

export interface WhoAsksPorts extends CallerPorts, ProgramPorts, AttemptPorts {
  readonly memberships: Memberships;
  readonly stores: CallerPorts["stores"];
}

/** Who asks where nobody is asked who they are. */
export const NOBODY: WebCaller = { kind: "nobody", principal: undefined, attributes: {}, claims: {} };

/**
 * Who asks: the person of the session cookie, else the program of the bearer token. Where a policy is open, nobody is asked who
 * they are.
 */
export async function whoAsks(
  app: WebApp,
  policy: WebPolicy,
  asked: WebRequest,
  context: RequestContext,
  ports: WhoAsksPorts,
): Promise<WebCaller | Unknown> {
  if (policy.settings.allowUnauthenticated) return NOBODY;
  const hostname = withoutPort(asked.host);
  const person = await knownPerson(asked.cookies, hostname, policy.settings, app.settings, ports, context);
  if (person?.kind === "stopped") {
    const { stopId } = person.stop;
    return { refusal: webRefusal("forbidden", (texts) => texts.stopped), reason: "stopped", details: { stopId } };
  }
  if (person !== undefined) {
    context.authenticated(person.userId);
    return personCaller(person, app, ports);
  }
  if (policy.settings.bearer !== undefined) {
    const program = await knownProgram(asked.request, policy.servers, ports, context);
    if (program.kind === "program") {
      context.authenticated(program.identity.agent.clientID);
      return programCaller(program.identity);
    }
    if (program.kind === "refused") return { response: challenge('Bearer error="invalid_token"') };
    if (program.kind === "unknown") {
      const refusal = webRefusal("unavailable", ({ notChecked }) => notChecked, { "retry-after": "5" });
      return { refusal, reason: "not_checked" };
    }
    if (policy.settings.idps.length === 0) return { response: challenge("Bearer") };
  }
  const { request, cookies, path, query } = asked;
  const { method, headers } = request;
  const unknown = {
    method,
    headers,
    cookies,
    path,
    query,
    route: routeOf(app.settings, asked),
    requestId: context.requestId,
  };
  return { response: await askToSignIn(unknown, app.settings, policy.settings, ports) };
}

async function personCaller(person: KnownPerson, app: WebApp, ports: WhoAsksPorts): Promise<WebCaller> {
  // Only members' organizations are asked for, and only people who linked the account are members.
  const isAsked = await ports.memberships.areRequired(app.settings);
  const memberId = isAsked ? (await ports.stores.identities.findIdentity(person.signIn))?.userId : undefined;
  return callerOfPerson(person, { ownIssuer: ports.ownIssuer, memberId });
}

/** A person whose session is known, as an agent of no one. */
export function callerOfPerson(
  person: Pick<KnownPerson, "signIn" | "attributes" | "createdAt" | "expiresAt"> & Partial<KnownPerson>,
  { ownIssuer, memberId }: { readonly ownIssuer: string | undefined; readonly memberId: string | undefined },
): WebCaller {
  const { signIn, attributes, createdAt, expiresAt, sessionHash } = person;
  const { claims, connector } = signIn;
  const principal: PersonIdentity = {
    user: { ...claims, sub: personId(signIn) },
    // Their id is one of ours.
    issuer: ownIssuer ?? signIn.issuer,
    ...(memberId !== undefined && { memberId }),
    scopes: [],
    actChain: [],
    issuedAt: createdAt,
    expiresAt,
  };
  return {
    ...{ kind: "person", principal, attributes, claims, connector },
    ...(sessionHash !== undefined && { sessionHash }),
  };
}

export function programCaller(identity: Identity): WebCaller {
  return { kind: "program", principal: identity, attributes: {}, claims: identity.claims ?? {} };
}

/** RFC 6750 section 3. */
function challenge(value: string): Response {
  const body = { error: value.includes("invalid_token") ? "invalid_token" : "token_required" };
  return Response.json(body, { status: 401, headers: { "www-authenticate": value, "cache-control": "no-store" } });
}

/** The entry of `routePatterns` that a request came by: the closest one. */
export function routeOf(
  { routes }: Pick<WebAppConfiguration, "routes">,
  { host, path }: Pick<WebRequest, "host" | "path">,
): RoutePattern {
  const fitting = routes.filter((route) => isAtHost(route, host) && isBelow(route.path, path));
  const [closest = { path: "/" }] = fitting.sort(
    (one, other) =>
      Number(other.host !== undefined) - Number(one.host !== undefined) || other.path.length - one.path.length,
  );
  return closest;
}

function isAtHost(route: RoutePattern, host: string): boolean {
  return route.host === undefined || route.host === host || route.host === withoutPort(host);
}
