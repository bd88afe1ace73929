import { isJsonObject, type JsonObject } from "../../json.ts";
import type { OAuthClient } from "../clients/client.ts";
import { type Actor, actBy, actorsOf, MAX_ACTORS, mayAct } from "./actors.ts";
import type { ExchangeRequest } from "./exchange-token.ts";
import { invalidExchange, unauthorizedExchange } from "./refusals.ts";
import type { Subject } from "./subject.ts";

/** Everything that decides on who is named in the new token. */
export interface Parties {
  readonly mode: ExchangeRequest["mode"];
  readonly subject: Subject;
  /** Of the actor token. */
  readonly actor: Actor | undefined;
  readonly caller: OAuthClient;
  readonly issuer: string;
}

/**
 * `act` and `may_act` of the new token (RFC 8693 §4.1, §4.4). Delegation names who acted, with everybody who acted before;
 * impersonation names nobody, and so is not to be had for a token that names somebody. What restricts who may act stays.
 *
 * @throws {OAuthError} `invalid_request`, `unauthorized_client`
 */
export function actorClaims(parties: Parties): JsonObject {
  const { mode, subject, actor, caller, issuer } = parties;
  const { act, may_act } = subject.claims;
  if (may_act !== undefined && !mayAct(may_act, actor ?? { sub: caller.clientId }, issuer)) {
    throw unauthorizedExchange("the subject_token does not allow this actor (may_act)");
  }
  const kept = may_act === undefined ? {} : { may_act };
  if (mode === "delegation") return { act: delegated(parties, act), ...kept };
  if (act !== undefined) throw invalidExchange("a token that names an actor cannot be exchanged for one that does not");
  if (actor !== undefined) throw invalidExchange("actor_token has no place in an impersonation");
  return kept;
}

/** The subject token's client acts; an actor of its own token stands around it, if it is another. */
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
