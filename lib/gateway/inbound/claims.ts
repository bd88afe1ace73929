import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { Identity } from "../identity.ts";

const MAX_NAME = 512;

/**
 * Turns the claims of a token that the issuer vouches for into an identity. The agent is `client_id`, else `azp`, else
 * the actor.
 */
export function identityFromClaims(claims: JsonObject, issuer: string): Authentication {
  // A token bound to a key (RFC 9449, RFC 8705) proves nothing without that proof, which is not checked here.
  if (claims.cnf !== undefined) return refused("sender_constrained");
  const actChain = actors(claims.act);
  if (![claims.client_id, claims.azp, claims.sub, ...actChain].every(isNameable)) return refused("unusable_name");
  const clientID = text(claims.client_id) ?? text(claims.azp) ?? actChain[0];
  if (clientID === undefined) return refused("no_client");
  if (typeof claims.exp !== "number") return refused("no_expiry");
  const sub = text(claims.sub);
  const identity: Identity = {
    ...(sub !== undefined && sub !== clientID && { user: { ...claims, sub } }),
    agent: { clientID },
    issuer,
    scopes: scopesOf(claims),
    actChain,
    claims,
    ...(typeof claims.iat === "number" && { issuedAt: claims.iat * 1000 }),
    expiresAt: claims.exp * 1000,
  };
  return accepted(identity);
}

/** `aud` as one string or a list (RFC 7519 §4.1.3) names one of ours. */
export function isMeantFor(audience: unknown, expected: readonly string[]): boolean {
  const named = Array.isArray(audience) ? audience : [audience];
  return named.some((value) => typeof value === "string" && expected.includes(value));
}

/**
 * Why a token is not of use now, to the millisecond: from `exp` on it is not, before `nbf` not yet (RFC 7519 §4.1.4,
 * §4.1.5), each with as much tolerance as clocks may differ. Servers write null for what they have nothing to say of.
 *
 * @param now milliseconds since the epoch
 * @param skew milliseconds
 */
export function untimely({ exp = null, nbf = null }: JsonObject, now: number, skew: number): string | undefined {
  if (exp !== null && !(typeof exp === "number" && now < exp * 1000 + skew)) return "expired";
  if (nbf !== null && !(typeof nbf === "number" && now >= nbf * 1000 - skew)) return "not_yet_valid";
  return undefined;
}

/** RFC 8693 §4.1: the outermost actor is the current one. */
function actors(act: unknown): readonly string[] {
  const chain: string[] = [];
  for (let actor = act; isJsonObject(actor) && chain.length < 10; actor = actor.act) {
    if (typeof actor.sub !== "string") break;
    chain.push(actor.sub);
  }
  return chain;
}

/** `scope` of RFC 9068 §2.2.3, or `scp` as some providers spell it. */
function scopesOf({ scope, scp }: JsonObject): readonly string[] {
  const value = scope ?? scp;
  const list = typeof value === "string" ? value.split(" ") : Array.isArray(value) ? value : [];
  return list.filter((entry): entry is string => typeof entry === "string" && entry !== "");
}

/** Names go into audit records: they are short and have no control characters. What is no text names nobody. */
function isNameable(value: unknown): boolean {
  return typeof value !== "string" || (value.length <= MAX_NAME && !/\p{Cc}/u.test(value));
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What became of a token. `reason` is for the log: a short code, never a part of the token. */
export type Authentication =
  | { readonly outcome: "accepted"; readonly identity: Identity }
  | { readonly outcome: "refused"; readonly reason: string }
  /** The server that knows could not be asked; the token may be good. */
  | { readonly outcome: "unavailable"; readonly reason: string };

/** As above, and `inconclusive` when this method cannot tell and another may: `otherwise` is what is true without one. */
export type Attempt =
  | Authentication
  | { readonly outcome: "inconclusive"; readonly reason: string; readonly otherwise: Authentication };

export function accepted(identity: Identity): Authentication {
  return { outcome: "accepted", identity };
}

export function refused(reason: string): Authentication {
  return { outcome: "refused", reason };
}

export function unavailable(reason: string): Authentication {
  return { outcome: "unavailable", reason };
}

export function inconclusive(reason: string, otherwise: (reason: string) => Authentication): Attempt {
  return { outcome: "inconclusive", reason, otherwise: otherwise(reason) };
}
