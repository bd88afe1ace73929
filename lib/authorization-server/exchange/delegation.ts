import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { OAuthClient } from "../clients/client.ts";
import { invalidExchange, unauthorizedClient } from "../refusals.ts";
import type { ExchangeRequest } from "./exchange-request.ts";
import type { Actor, Subject } from "./subject.ts";

/** The largest number of nested actors in a token. */
const MAX_ACTORS = 5;

/** The parties that decide who is named in the new token. */
export interface Parties {
  readonly mode: ExchangeRequest["mode"];
  readonly subject: Subject;
  /** Of the actor token. */
  readonly actor: Actor | undefined;
  readonly caller: OAuthClient;
  readonly issuer: string;
}

/**
 * `act` and `may_act` of the new token (RFC 8693 §4.1, §4.4). Delegation names the actor and all former actors. Impersonation
 * names no actor, so a token that names one cannot be exchanged for impersonation. A restriction of who may act stays.
 *
 * @throws {OAuthError} `invalid_request`, `unauthorized_client`
 */
export function actorClaims(parties: Parties): JsonObject {
  const { mode, subject, actor, caller, issuer } = parties;
  const { act, may_act } = subject.claims;
  if (may_act !== undefined && !mayAct(may_act, actor ?? { sub: caller.clientId }, issuer)) {
    throw unauthorizedClient("the subject_token does not allow this actor (may_act)");
  }
  const kept = may_act === undefined ? {} : { may_act };
  if (mode === "delegation") return { act: delegated(parties, act), ...kept };
  if (act !== undefined) throw invalidExchange("a token that names an actor cannot be exchanged for one that does not");
  if (actor !== undefined) throw invalidExchange("actor_token has no place in an impersonation");
  return kept;
}

/** The actors of an `act` claim, the current one first; undefined if it is not such a claim, or too deep. */
export function actorsOf(act: unknown): readonly string[] | undefined {
  const actors: string[] = [];
  for (let level: unknown = act; level !== undefined; level = level.act) {
    if (!isJsonObject(level) || typeof level.sub !== "string" || level.sub === "") return undefined;
    if (actors.push(level.sub) > MAX_READ) return undefined;
  }
  return actors;
}

/** More than a token may have, to tell a chain that is too deep from a claim that is none. */
const MAX_READ = 2 * MAX_ACTORS;

/** The client of the subject token acts. If the actor token names another party, that party is the outer actor. */
function delegated({ subject: { client }, actor }: Parties, former: unknown): JsonObject {
  if (former !== undefined && !isJsonObject(former)) throw invalidExchange(UNREADABLE);
  const byClient = actBy(client, former);
  const act = actor === undefined || isSame(actor, client) ? byClient : actBy(actor, byClient);
  const actors = actorsOf(act);
  if (actors === undefined) throw invalidExchange(UNREADABLE);
  if (actors.length > MAX_ACTORS) throw invalidExchange(`more than ${MAX_ACTORS} actors, one for another`);
  return act;
}

function isSame(one: Actor, other: Actor): boolean {
  return one.sub === other.sub && one.iss === other.iss && one.client_id === other.client_id;
}

const UNREADABLE = "the subject_token's act claim names no chain of actors that could be kept";

/** `act` with one more actor around the former ones. No former actor is ever left out. */
function actBy(actor: Actor, former: JsonObject | undefined): JsonObject {
  return { ...actor, ...(former !== undefined && { act: former }) };
}

/**
 * Whether a subject token's `may_act` (RFC 8693 §4.4) names the actor: all of `iss`, `sub` and `client_id` that it has must
 * match. A claim with neither `sub` nor `client_id` names nobody.
 *
 * @param issuer this one
 */
function mayAct(claim: unknown, { sub, iss, client_id }: Actor, issuer: string): boolean {
  if (!isJsonObject(claim) || (claim.sub === undefined && claim.client_id === undefined)) return false;
  const isNamed = (named: unknown, actual: string) => named === undefined || named === actual;
  return isNamed(claim.sub, sub) && isNamed(claim.client_id, client_id ?? sub) && isNamed(claim.iss, iss ?? issuer);
}
