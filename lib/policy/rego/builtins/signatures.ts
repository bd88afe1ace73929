import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { equalBytes, utf8 } from "../../../kernel/encoding.ts";
import { spend, spendText, stepsLeft } from "../budget.ts";
import type { Surroundings } from "../context.ts";
import { isNumber, toDouble } from "../number.ts";
import {
  checkName,
  KeyError,
  PendingSignature,
  readKeys,
  SIGNING_ALGORITHMS,
  type VerificationKey,
} from "../signatures.ts";
import { isArray, RegoObject, type Value } from "../value.ts";
import { base64urlBytes, text } from "./encoding.ts";
import { type Builtin, type Builtins, builtinError, objectAt, stringAt } from "./operands.ts";
import { DEEPEST, jsonObject, objectOf, partsOf, unquoted } from "./tokens.ts";

const HASHES: Readonly<Record<string, Parameters<typeof hmac>[0]>> = { HS256: sha256, HS384: sha384, HS512: sha512 };

/** Functions that check signatures of JSON Web Tokens by public keys (OPA, "Token Verification"). */
export const SIGNATURES: Builtins = {
  ...Object.fromEntries(SIGNING_ALGORITHMS.map((name) => [`io.jwt.verify_${name.toLowerCase()}`, verifying(name)])),
  "io.jwt.decode_verify": (values, surroundings) => {
    const wanted = constraintsOf(objectAt(values, 1), surroundings);
    const token = verifiedToken(stringAt(values, 0), wanted, surroundings, 0);
    return token !== undefined && holds(token.payload, wanted)
      ? [true, token.header, token.payload]
      : [false, new RegoObject(), new RegoObject()];
  },
};

/** Whether a function of this name may have to wait for a signature to be checked. */
export function checksSignatures(name: string): boolean {
  return Object.hasOwn(SIGNATURES, name);
}

/** A check of a signature by the algorithm that the function is named by. */
function verifying(algorithm: string): Builtin {
  return (values, surroundings) => {
    const keys = keysIn(stringAt(values, 1));
    const signed = signedOf(stringAt(values, 0));
    return isGood({ ...signed, algorithm }, keys, surroundings);
  };
}

/** A token's parts as a check of its signature needs them. */
interface Signed {
  readonly header: RegoObject;
  readonly payload: string;
  readonly signed: string;
  readonly signature: Uint8Array;
}

function signedOf(token: string): Signed {
  const { header, payload, signature } = partsOf(token);
  return {
    header: objectOf(header),
    payload,
    signed: `${header}.${payload}`,
    signature: base64urlBytes(signature),
  };
}

/** As OPA does: the key that the token names if it is there, else any of the algorithm that the token has. */
function isGood(
  { header, signed, signature, algorithm }: Signed & { readonly algorithm: string },
  keys: readonly VerificationKey[],
  surroundings: Surroundings,
): boolean {
  const [kid, alg] = [header.get("kid"), header.get("alg")];
  const named = typeof kid === "string" && kid !== "" ? keys.find((key) => key.kid === kid) : undefined;
  const tried = named ? [named] : keys.filter((key) => key.alg === undefined || key.alg === alg);
  return tried.some((key) => {
    const hash = HASHES[algorithm];
    if ("secret" in key.material) return hash !== undefined && isOfSecret(hash, key.material.secret, signed, signature);
    return hash === undefined && isOfKey({ algorithm, key, signed, signature }, surroundings);
  });
}

function isOfSecret(hash: Parameters<typeof hmac>[0], secret: Uint8Array, signed: string, signature: Uint8Array) {
  spend(300 + (signed.length + secret.length) / 4);
  return equalBytes(signature, hmac(hash, secret, utf8(signed)));
}

/** Key types by what names of algorithms begin with (RFC 7518 §3.1, RFC 8037 §3.1). */
const KEY_TYPES: Readonly<Record<string, string>> = { RS: "RSA", PS: "RSA", ES: "EC", Ed: "OKP" };

/** A key of another type made no such signature, and takes none of the checks. */
function isOfKey(check: PendingSignature["check"], { signatures }: Surroundings): boolean {
  const { material } = check.key;
  if ("jwk" in material && material.jwk.kty !== KEY_TYPES[check.algorithm.slice(0, 2)]) return false;
  spendText(check.signed.length + check.key.id.length);
  const known = signatures.get(checkName(check));
  if (known === undefined) throw new PendingSignature(check, stepsLeft());
  return known;
}

function keysIn(written: string): readonly VerificationKey[] {
  spendText(written.length * 4);
  try {
    return readKeys(written);
  } catch (error) {
    throw error instanceof KeyError ? builtinError(error.message) : error;
  }
}

/** What a token must be like. */
interface Constraints {
  readonly keys: readonly VerificationKey[] | undefined;
  readonly secret: string;
  readonly alg: string;
  readonly iss: string;
  readonly aud: string;
  /** Seconds since 1970. */
  readonly time: number;
}

const CONSTRAINTS = ["cert", "secret", "alg", "iss", "aud", "time"];

function constraintsOf(written: RegoObject, { now }: Surroundings): Constraints {
  for (const [name] of written.entries()) {
    if (!CONSTRAINTS.includes(String(name)))
      throw builtinError(`unknown token validation constraint: ${String(name)}; accepted: ${CONSTRAINTS.join(", ")}`);
  }
  const textOf = (name: string): string => {
    const value = written.get(name) ?? "";
    if (typeof value !== "string") throw builtinError(`${name} constraint: must be a string`);
    return value;
  };
  const [cert, secret, time] = [textOf("cert"), textOf("secret"), written.get("time")];
  if (time !== undefined && !isNumber(time)) throw builtinError("token time constraint: must be a number");
  if (cert !== "" && secret !== "") throw builtinError("duplicate key constraints");
  if (cert === "" && secret === "") throw builtinError("no key constraint");
  const nanoseconds = time === undefined ? Number(now) : toDouble(time);
  if (nanoseconds < 0) throw builtinError("token time constraint: must not be negative");
  return {
    keys: cert === "" ? undefined : keysIn(cert),
    ...{ secret, alg: textOf("alg"), iss: textOf("iss"), aud: textOf("aud") },
    time: nanoseconds / 1e9,
  };
}

/** Undefined: its signature, or that of a token around it, is not what is wanted. */
function verifiedToken(
  token: string,
  wanted: Constraints,
  surroundings: Surroundings,
  depth: number,
): { readonly header: RegoObject; readonly payload: RegoObject } | undefined {
  const signed = signedOf(token);
  const { header } = signed;
  const [algorithm, cty] = [header.get("alg"), header.get("cty")];
  // No extension is understood here (RFC 7515 §4.1.11).
  if (typeof algorithm !== "string" || algorithm === "" || header.has("crit")) return undefined;
  if (wanted.alg !== "" && wanted.alg !== algorithm) return undefined;
  const hash = HASHES[algorithm];
  if (hash === undefined && !SIGNING_ALGORITHMS.includes(algorithm))
    throw builtinError(`unknown JWS algorithm: ${algorithm}`);
  if (wanted.keys !== undefined) {
    if (!isGood({ ...signed, algorithm }, wanted.keys, surroundings)) return undefined;
  } else if (hash === undefined) throw builtinError("incorrect public key type");
  else if (!isOfSecret(hash, utf8(wanted.secret), signed.signed, signed.signature)) return undefined;
  const body = text(base64urlBytes(signed.payload));
  if (typeof cty !== "string" || cty.toUpperCase() !== "JWT") return { header, payload: jsonObject(body) };
  if (depth === DEEPEST) throw builtinError(`has more than ${DEEPEST} tokens inside each other`);
  return verifiedToken(unquoted(body), wanted, surroundings, depth + 1);
}

/** Registered claims (RFC 7519 §4.1): a token for an audience is for nobody who does not ask for that. */
function holds(payload: RegoObject, { iss, aud, time }: Constraints): boolean {
  const audience = payload.get("aud");
  if (iss !== "" && payload.get("iss") !== iss) return false;
  if (audience === undefined ? aud !== "" : !namesAudience(audience, aud)) return false;
  const [end, begin] = [secondsOf(payload, "exp"), secondsOf(payload, "nbf")];
  return !(end !== undefined && time >= end) && !(begin !== undefined && time < begin);
}

function namesAudience(audience: Value, wanted: string): boolean {
  return isArray(audience) ? audience.includes(wanted) : audience === wanted;
}

function secondsOf(payload: RegoObject, name: "exp" | "nbf"): number | undefined {
  const value = payload.get(name);
  if (value === undefined) return undefined;
  if (!isNumber(value)) throw builtinError(`${name} value must be a number`);
  return toDouble(value);
}
