import type { KeyRing } from "../authorization-server/keys/key-ring.ts";
import type { WebAppConfiguration } from "../config/web-app-configuration.ts";
import type { Clock } from "../kernel/clock.ts";
import { ulid } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Random } from "../kernel/random.ts";

/** Its own `typ` keeps it from being taken for an access token or an ID token (RFC 8725 section 3.11). */
export const ASSERTION_TYPE = "countersign-assertion+jwt";

/** Who an assertion is about. */
export interface AssertedCaller {
  readonly subject: string;
  /** The authorization server that calls them so. */
  readonly issuer: string;
  /** Claims of the person, or of the program's token. */
  readonly claims: JsonObject;
}

export interface AssertionPorts {
  readonly keyRing: Pick<KeyRing, "sign">;
  readonly issuer: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** Claims that say something of the assertion itself: those of a sign-in never stand in their place. */
const REGISTERED: readonly string[] = ["iss", "aud", "sub", "iat", "exp", "jti", "nbf", "sub_id"];

/**
 * A signed statement of who asks (RFC 7519), for the upstream to check with our JWKS: `iss`, `aud`, `sub`, `iat`, `exp`, `jti`, and
 * those of the claims that the configuration names. Programs of two authorization servers may have one name, so `sub_id` says whose
 * the name is (RFC 9493 §3.2.4 and §4.1).
 */
export async function signAssertion(
  assertion: NonNullable<WebAppConfiguration["assertion"]>,
  { subject, issuer, claims }: AssertedCaller,
  { keyRing, issuer: iss, clock, random }: AssertionPorts,
): Promise<string> {
  const now = clock.now();
  const iat = Math.floor(now / 1_000);
  const named = assertion.claims
    .filter((name) => !REGISTERED.includes(name) && Object.hasOwn(claims, name))
    .map((name) => [name, claims[name]] as const);
  const said = {
    ...Object.fromEntries(named),
    ...{ iss, aud: assertion.audience, sub: subject },
    sub_id: { format: "iss_sub", iss: issuer, sub: subject },
    ...{ iat, exp: iat + Math.ceil(assertion.lifetime / 1_000), jti: ulid(now, random) },
  };
  return keyRing.sign(said as JsonObject, ASSERTION_TYPE);
}
