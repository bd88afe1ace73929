import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Identity } from "../identity.ts";
import { type Authentication, refused } from "./authentication.ts";

/** Turns the claims of a checked token into an identity. The agent is `client_id`, else `azp`, else the actor. */
export function identityFromClaims(claims: JsonObject): Authentication {
  // A token bound to a key (RFC 9449, RFC 8705) proves nothing without that proof, which is not checked here.
  if (claims.cnf !== undefined) return refused("sender_constrained");
  const actChain = actors(claims.act);
  const clientID = text(claims.client_id) ?? text(claims.azp) ?? actChain[0];
  if (clientID === undefined) return refused("no_client");
  if (typeof claims.exp !== "number") return refused("no_expiry");
  const sub = text(claims.sub);
  const identity: Identity = {
    ...(sub !== undefined && sub !== clientID && { user: { ...claims, sub } }),
    agent: { clientID },
    scopes: scopesOf(claims),
    actChain,
    expiresAt: claims.exp * 1000,
  };
  return { outcome: "accepted", identity };
}

/** `aud` as one string or a list (RFC 7519 §4.1.3) names one of ours. */
export function isMeantFor(audience: unknown, expected: readonly string[]): boolean {
  const named = Array.isArray(audience) ? audience : [audience];
  return named.some((value) => typeof value === "string" && expected.includes(value));
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

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
