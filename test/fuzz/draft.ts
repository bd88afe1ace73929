import { type KeyObject, sign } from "node:crypto";
import type { Prng } from "./prng.ts";
import type { EndpointName } from "./reference.ts";
import { type KnownClient, REST_API, type World } from "./world.ts";

/** A client assertion on its way: JSON as values or, when a mutation wrote it, as text; signed last. */
export interface AssertionDraft {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Instead of the values. */
  readonly headerText?: string | Buffer;
  readonly claimsText?: string | Buffer;
  readonly key: KeyObject;
}

/** What a mutation may look at. */
export interface MutationContext {
  readonly prng: Prng;
  readonly world: World;
}

/** Changes one thing, which may make the request wrong or leave it right: what is right is not for mutations to know. */
export type Mutation<T> = (value: T, context: MutationContext) => T;

/** A correct assertion of a client that may ask, in one of the forms that are correct. */
export function correctAssertion({ prng, world }: MutationContext): AssertionDraft {
  const clients = [...world.clients.values()].filter((client) => !client.isDeleted && keyOf(client) !== undefined);
  const client = prng.pick(clients);
  const key = prng.pick(client.keys.filter(({ isActive }) => isActive));
  const now = Math.floor(Date.now() / 1000);
  return {
    header: {
      alg: "ES256",
      ...(prng.chance(0.7) && { typ: prng.pick(["JWT", "jwt", "client-authentication+jwt", "application/jwt"]) }),
      ...(prng.chance(0.4) && { kid: key.fingerprint }),
    },
    claims: {
      iss: client.clientId,
      sub: client.clientId,
      aud: prng.chance(0.7) ? world.tokenEndpoint : world.issuer,
      exp: now + 60 + prng.int(3000),
      ...(prng.chance(0.7) && { iat: now - prng.int(100) }),
      ...(prng.chance(0.3) && { nbf: now - prng.int(100) }),
      ...(prng.chance(0.9) && { jti: prng.text(22) }),
    },
    key: key.privateKey,
  };
}

/** The compact serialization, rightly signed by the draft's key over whatever it says. */
export function signDraft({ header, claims, headerText, claimsText, key }: AssertionDraft): string {
  const encode = (text: string | Buffer) => Buffer.from(text).toString("base64url");
  const input = `${encode(headerText ?? JSON.stringify(header))}.${encode(claimsText ?? JSON.stringify(claims))}`;
  return `${input}.${sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

export type FormPairs = readonly (readonly [name: string, value: string])[];

/** The parameters around an assertion. */
export function correctForm(
  assertion: string,
  endpoint: EndpointName,
  token: string,
  { prng, world }: MutationContext,
): FormPairs {
  const authentication = [
    ["client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"],
    ["client_assertion", assertion],
  ] as const;
  const hint = prng.chance(0.2) ? [["token_type_hint", prng.pick(["access_token", "x", ""])] as const] : [];
  if (endpoint !== "token") return [["token", token], ...hint, ...authentication];
  const target = prng.pick([
    [],
    [["resource", REST_API]],
    [
      ["resource", `${world.issuer}/api/v1`],
      ["scope", "audit:read"],
    ],
    [["scope", "tools:read audit:read unknown"]],
    [
      ["resource", REST_API],
      ["scope", "books:read"],
    ],
  ] as const);
  const extra = prng.chance(0.1) ? [[`x-${prng.text(5)}`, prng.text(20)] as const] : [];
  return [["grant_type", "client_credentials"], ...authentication, ...target, ...extra];
}

function keyOf({ keys }: KnownClient): unknown {
  return keys.find(({ isActive }) => isActive);
}
