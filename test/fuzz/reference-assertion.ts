import { verify } from "node:crypto";
import { invalidClient } from "./expectation.ts";
import type { KnownClient, World } from "./world.ts";

/** What a client assertion is worth. */
export type AssertionJudgement =
  | {
      readonly client: KnownClient;
      readonly usedId: string | undefined;
      /** Refusals that are right; none: it has to be accepted. With `isCertain` false, acceptance is right too. */
      readonly refusals: readonly string[];
      readonly isCertain: boolean;
    }
  | { readonly client: undefined; readonly refusals: readonly string[] };

/** How close to a limit of time both answers are right, seconds. */
const MARGIN = 30;
const MAX_LIFETIME = 3600;
const SKEW = 30;

/** A second opinion on client assertions, written from D5 to D8 and without what the product uses. */
export function judgeAssertion(text: string, clientIdParameter: string | undefined, world: World): AssertionJudgement {
  const jws = parse(text);
  if (jws === undefined) return { client: undefined, refusals: [invalidClient("failed to parse JWT")] };
  const { header, payload } = jws;
  const client = typeof payload.sub === "string" ? world.clients.get(payload.sub) : undefined;
  const isSigned = client !== undefined && isVerified(jws, client);
  if (client === undefined || client.isDeleted || (clientIdParameter ?? client.clientId) !== client.clientId) {
    // A deleted client is only looked up when the signature could be right (D8 orders the checks, not the reads).
    const more = client?.isDeleted && !isSigned ? [invalidClient("invalid JWT signature")] : [];
    return { client: undefined, refusals: [invalidClient("invalid client"), ...more] };
  }
  if (!isSigned) return { client: undefined, refusals: [invalidClient("invalid JWT signature")] };
  const { certain, possible } = judgeClaims(header, payload, world);
  return {
    client,
    usedId: typeof payload.jti === "string" ? `${client.clientId} ${payload.jti}` : undefined,
    refusals: [...certain, ...possible],
    isCertain: certain.length > 0 || possible.length === 0,
  };
}

interface Jws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly input: Buffer;
  readonly signature: Buffer;
}

function parse(text: string): Jws | undefined {
  const segments = text.split(".");
  const [header, payload, signature] = segments.map(canonicalBytes);
  if (segments.length !== 3 || header === undefined || payload === undefined || signature === undefined)
    return undefined;
  const [headerObject, payloadObject] = [jsonObject(header), jsonObject(payload)];
  if (headerObject === undefined || payloadObject === undefined) return undefined;
  const input = Buffer.from(text.slice(0, text.lastIndexOf(".")));
  return { header: headerObject, payload: payloadObject, input, signature };
}

function canonicalBytes(segment: string): Buffer | undefined {
  const bytes = Buffer.from(segment, "base64url");
  return bytes.toString("base64url") === segment ? bytes : undefined;
}

function jsonObject(bytes: Buffer): Record<string, unknown> | undefined {
  const text = bytes.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isVerified({ header, input, signature }: Jws, { keys }: KnownClient): boolean {
  const { alg, kid } = header;
  if (alg !== "ES256" || (kid !== undefined && typeof kid !== "string") || signature.length !== 64) return false;
  if (["crit", "jwk", "jku", "x5c", "x5u"].some((name) => Object.hasOwn(header, name))) return false;
  return keys
    .filter(({ isActive, fingerprint }) => isActive && (kid === undefined || kid === fingerprint))
    .some(({ publicKey }) => verify("sha256", input, { key: publicKey, dsaEncoding: "ieee-p1363" }, signature));
}

interface Reasons {
  readonly certain: string[];
  /** So close to a limit that the product may see it either way. */
  readonly possible: string[];
}

function judgeClaims(
  header: Jws["header"],
  { iss, sub, aud, exp, nbf, iat, jti }: Jws["payload"],
  world: World,
): Reasons {
  const now = Date.now() / 1000;
  const reasons: Reasons = { certain: [], possible: [] };
  const claims = invalidClient("invalid JWT claims");
  if (!isAcceptedType(header.typ) || iss !== sub) reasons.certain.push(claims);
  if (aud !== world.issuer && aud !== world.tokenEndpoint) reasons.certain.push(invalidClient("invalid JWT audience"));
  if (typeof exp !== "number" || !Number.isFinite(exp)) {
    reasons.certain.push(claims);
  } else {
    limit(exp <= now, Math.abs(exp - now), invalidClient("expired JWT"), reasons);
    limit(exp > now + MAX_LIFETIME + SKEW, Math.abs(exp - now - MAX_LIFETIME - SKEW), claims, reasons);
  }
  for (const time of [nbf, iat].filter((value) => value !== undefined)) {
    if (typeof time !== "number" || !Number.isFinite(time)) reasons.certain.push(claims);
    else limit(time > now + SKEW, Math.abs(time - now - SKEW), claims, reasons);
  }
  if (jti !== undefined && (typeof jti !== "string" || jti === "")) reasons.certain.push(claims);
  return reasons;
}

function limit(isBeyond: boolean, distance: number, refusal: string, { certain, possible }: Reasons): void {
  if (distance < MARGIN) possible.push(refusal);
  else if (isBeyond) certain.push(refusal);
}

function isAcceptedType(typ: unknown): boolean {
  if (typ === undefined) return true;
  const names = ["jwt", "client-authentication+jwt", "application/jwt", "application/client-authentication+jwt"];
  return typeof typ === "string" && names.includes(typ.toLowerCase());
}
