import type { Context } from "hono";
import { managementAudience } from "../../lib/api-clients/audiences.ts";
import type { Administrator } from "../../lib/api-clients/client-event.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { introspectToken } from "../../lib/authorization-server/tokens/access-token.ts";
import { resumeConsoleSession } from "../../lib/directory/browser-sessions.ts";
import { stopOfPerson } from "../../lib/directory/stopped-person.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import { bearerCredentials } from "../../lib/protocol/http/bearer.ts";
import type { MembershipRecord, Role, SignInMethod } from "../../lib/stores/directory.ts";
import { deletionOf } from "../../lib/stores/stop-subjects.ts";
import type { StopKind } from "../../lib/stores/stops.ts";
import type { Env } from "../env.ts";
import { refuseCrossSite } from "./csrf.ts";
import { readConsoleCookie } from "./session-cookie.ts";

/** Who a management operation is for. */
export interface Need {
  /** The least role a person needs in the organization. */
  readonly role: Role;
  /** The permission that admits an API client; absent: people only. */
  readonly scope?: string;
}

/** Who calls the management API, and the organization the call is about. */
export type Caller = PersonCaller | ClientCaller;

export interface PersonCaller {
  readonly kind: "person";
  /** `user_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly role: Role;
  readonly memberships: readonly MembershipRecord[];
  /** The hash that the session is stored by. */
  readonly sessionId: string;
  /** When the session began, in milliseconds. */
  readonly signedInAt: number;
  /** How it began. */
  readonly method: SignInMethod;
  /** Their address, for the records of what they change. */
  readonly name?: string;
}

export interface ClientCaller {
  readonly kind: "client";
  /** `client_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly scopes: readonly string[];
  readonly name?: string;
}

/**
 * Authenticates the caller by bearer token or session cookie and checks what the operation needs. An `Authorization`
 * header wins over a cookie: no other site can make a browser send one.
 * @throws ProblemError `not_signed_in` (401 with a challenge), `forbidden`, `not_found` for a foreign organization
 */
export async function authenticateCaller(dependencies: Dependencies, c: Context<Env>, need: Need): Promise<Caller> {
  const authorization = c.req.header("Authorization");
  const caller =
    authorization === undefined
      ? await authenticateSession(dependencies, c, need.role)
      : await authenticateBearer(dependencies, c, authorization, need.scope);
  c.get("request").authenticated(caller.id);
  return caller;
}

/** The same for operations that only people may do: an API client is refused with 403. */
export async function authenticatePerson(
  dependencies: Dependencies,
  c: Context<Env>,
  role: Role,
): Promise<PersonCaller> {
  const caller = await authenticateCaller(dependencies, c, { role });
  if (caller.kind !== "person") throw peopleOnly();
  return caller;
}

const SUSPENDED: Readonly<Partial<Record<StopKind, string>>> = {
  organization: "This organization",
  person: "Your access to this organization",
};

async function authenticateSession(dependencies: Dependencies, c: Context<Env>, role: Role): Promise<PersonCaller> {
  const { configuration } = dependencies.configuration();
  const cookie = readConsoleCookie(c, configuration);
  if (cookie === undefined) throw notSignedIn(c);
  refuseCrossSite(c, configuration);
  const session = await resumeConsoleSession(dependencies, cookie);
  if (session === undefined) throw notSignedIn(c);
  const { directory } = dependencies.stores;
  const [all, person, stops] = await Promise.all([
    directory.memberships(session.userId),
    c.req.method === "GET" ? undefined : directory.getPerson(session.userId),
    dependencies.instanceStops.current(),
  ]);
  // Members of one that was deleted may not have been removed yet.
  const memberships = all.filter(({ organizationId }) => deletionOf(stops, organizationId) === undefined);
  const membership = chooseMembership(memberships, c.req.header(ORGANIZATION_HEADER));
  if (role === "owner" && membership.role !== "owner") {
    throw new ProblemError("forbidden", "Only an owner of the organization may do this.");
  }
  const { organizationId } = membership;
  const stop = await stopOfPerson(dependencies, session, organizationId);
  if (stop?.state === "ended") throw notSignedIn(c);
  if (stop !== undefined) throw new ProblemError("forbidden", `${SUSPENDED[stop.target.kind] ?? "This"} is suspended.`);
  const { userId: id, sessionHash: sessionId, createdAt: signedInAt, method } = session;
  const name = person && { name: person.email };
  const { role: held } = membership;
  return { kind: "person", id, organizationId, role: held, memberships, sessionId, signedInAt, method, ...name };
}

async function authenticateBearer(
  dependencies: Dependencies,
  c: Context<Env>,
  authorization: string,
  scope: string | undefined,
): Promise<ClientCaller> {
  const presented = bearerCredentials(authorization);
  const token = presented.kind === "token" ? await introspectToken(presented.token, dependencies) : undefined;
  const { configuration } = dependencies.configuration();
  if (presented.kind === "none") throw notSignedIn(c);
  if (token === undefined) throw notSignedIn(c, INVALID_TOKEN);
  const audience = managementAudience(configuration);
  if (token.audience !== audience) {
    throw notSignedIn(c, INVALID_TOKEN, `The access token is for another resource; ask for one for ${audience}.`);
  }
  if (scope === undefined) throw peopleOnly();
  if (!token.scopes.includes(scope)) {
    c.header("WWW-Authenticate", `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`);
    throw new ProblemError("forbidden", `The token lacks the permission ${scope}.`);
  }
  const { clientId, clientName: name, organizationId, scopes } = token;
  if (token.subject !== clientId || organizationId === undefined) throw clientsOwnOnly();
  const chosen = c.req.header(ORGANIZATION_HEADER);
  if (chosen !== undefined && chosen !== organizationId) throw unknownOrganization();
  return { kind: "client", id: clientId, organizationId, scopes, ...(name !== undefined && { name }) };
}

/** The organization the header names, else the one the person joined first: memberships come oldest first. */
function chooseMembership(memberships: readonly MembershipRecord[], chosen: string | undefined): MembershipRecord {
  if (memberships.length === 0) throw new ProblemError("forbidden", "You belong to no organization.");
  const membership =
    chosen === undefined ? memberships[0] : memberships.find(({ organizationId }) => organizationId === chosen);
  if (membership === undefined) throw unknownOrganization();
  return membership;
}

function peopleOnly(): ProblemError {
  return new ProblemError("forbidden", "API clients may not do this; it needs a person.");
}

/** A token that acts for a person, or for another client, is none of an API client's own. */
function clientsOwnOnly(): ProblemError {
  return new ProblemError("forbidden", "Only an access token that an API client got for itself may do this.");
}

function unknownOrganization(): ProblemError {
  return new ProblemError("not_found", "You belong to no such organization.");
}

/** RFC 6750 §3: a refusal for lack of authentication says how to authenticate, and nothing of a token where none came. */
function notSignedIn(
  c: Context<Env>,
  challenge = CHALLENGE,
  detail = "Sign in, or send the access token of an API client.",
): ProblemError {
  c.header("WWW-Authenticate", challenge);
  return new ProblemError("not_signed_in", detail);
}

const CHALLENGE = 'Bearer realm="countersign"';
const INVALID_TOKEN = `${CHALLENGE}, error="invalid_token"`;
const ORGANIZATION_HEADER = "Countersign-Organization";

/** The caller as the actor of administration. */
export function administrator(
  { id, organizationId, name }: Caller,
  c: Context<Env>,
): Administrator & { readonly requestId: string } {
  return { id, organizationId, requestId: c.get("request").requestId, ...(name !== undefined && { name }) };
}
