import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { isSameIssuer } from "../protocol/oauth/issuer.ts";
import type { IdentityKey } from "../stores/identities.ts";
import { SetError } from "./set-error.ts";

/** Names go into stops and audit records. */
const LONGEST_SUBJECT = 512;

/**
 * The account that an event is about (RFC 9493; `subject_type` of drafts before it). Of a `complex` subject (OpenID Shared Signals
 * Framework 1.0 §3.2) it is the `user`: which session is meant is not looked at, so all of the person's are.
 *
 * @param issuer of the connector, as its discovery document spells it
 * @throws {SetError} `invalid_request`: it names no account of this issuer
 */
export function accountOf(subject: unknown, issuer: string): IdentityKey {
  if (!isJsonObject(subject))
    throw refused("is missing; accepted: sub_id with format iss_sub, or complex with such a user");
  const format = formatOf(subject);
  switch (format) {
    case "iss_sub":
      return issuerAndSubject(subject, issuer);
    case "complex":
      if (!isJsonObject(subject.user) || formatOf(subject.user) === "complex")
        throw refused("is complex without a user; accepted: a user with format iss_sub");
      return accountOf(subject.user, issuer);
    case "aliases":
      return accountOf(ofIssuer(subject.identifiers, issuer), issuer);
    case "email":
      // D167: it is a name that several people may have, and anybody may get one that was somebody else's.
      throw refused("has format email, and an address identifies nobody here; accepted: iss_sub");
    default:
      throw refused("has a format that identifies nobody here; accepted: iss_sub, complex, aliases");
  }
}

function formatOf({ format, subject_type: former, user }: JsonObject): unknown {
  const named = format ?? former;
  // What CAEP had before there were formats.
  if (named === undefined) return user === undefined ? undefined : "complex";
  return typeof named === "string" ? named.replaceAll("-", "_") : undefined;
}

function issuerAndSubject({ iss, sub }: JsonObject, issuer: string): IdentityKey {
  if (typeof sub !== "string" || sub === "" || sub.length > LONGEST_SUBJECT || !sub.isWellFormed())
    throw refused(`names no sub of 1 to ${LONGEST_SUBJECT} characters`);
  if (typeof iss !== "string" || !isSameIssuer(iss, issuer)) throw refused("is of another issuer than the connector's");
  return { issuer, subject: sub };
}

/** They all name the same person (RFC 9493 §3.2.8). */
function ofIssuer(identifiers: unknown, issuer: string): unknown {
  const named: readonly unknown[] = Array.isArray(identifiers) ? identifiers : [];
  return named.find(
    (one) =>
      isJsonObject(one) && formatOf(one) === "iss_sub" && typeof one.iss === "string" && isSameIssuer(one.iss, issuer),
  );
}

function refused(problem: string): SetError {
  return new SetError("invalid_request", `The subject ${problem}.`);
}
