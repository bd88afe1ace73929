import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AcceptedClaims, checkAssertionClaims } from "../../lib/authorization-server/client-assertion.ts";
import { scopesFor } from "../../lib/authorization-server/scope.ts";
import { OAuthError } from "../../lib/protocol/oauth/errors.ts";
import { ISSUER, PROVIDER, START } from "../support/in-process.ts";

const NOW = START / 1000;
const DESCRIPTIONS: readonly (string | undefined)[] = ["invalid JWT claims", "invalid JWT audience", "expired JWT"];
const { maxLifetime, clockSkew } = PROVIDER.assertion;

/** Right values, values at their limits and anything else that JSON can say. */
const time = fc.oneof(
  fc.constantFrom(NOW, NOW + 60, NOW + 30, NOW + 3630, NOW - 1, undefined),
  fc.double(),
  fc.integer({ min: Math.floor(NOW) - 100, max: Math.floor(NOW) + 4_000 }),
  fc.jsonValue(),
);
const audience = fc.oneof(fc.constantFrom(ISSUER, PROVIDER.endpoints.token, `${ISSUER}/`, [ISSUER]), fc.jsonValue());
const payload = fc.record({
  iss: fc.oneof({ weight: 4, arbitrary: fc.constant("client_x") }, { weight: 1, arbitrary: fc.jsonValue() }),
  sub: fc.constant("client_x"),
  aud: audience,
  exp: time,
  nbf: fc.oneof(fc.constant(undefined), time),
  iat: fc.oneof(fc.constant(undefined), time),
  jti: fc.oneof(fc.constant(undefined), fc.string(), fc.jsonValue()),
});
const header = fc.record({ typ: fc.oneof(fc.constantFrom(undefined, "JWT", "at+jwt"), fc.jsonValue()) });

describe("claims of an assertion", () => {
  test("37. are accepted within their limits or refused with a listed description, whatever they say", () => {
    let accepted = 0;
    fc.assert(
      fc.property(header, payload, (protectedHeader, claims) => {
        const outcome = outcomeOf(() =>
          checkAssertionClaims({ header: protectedHeader, payload: claims }, PROVIDER, START),
        );
        if (outcome instanceof OAuthError) {
          expect([outcome.code, outcome.status]).toEqual(["invalid_client", 400]);
          expect(DESCRIPTIONS).toContain(outcome.description);
          return;
        }
        accepted += 1;
        expect([ISSUER, PROVIDER.endpoints.token]).toContain(claims.aud);
        expect(claims.iss).toBe(claims.sub);
        const exp = (claims.exp as number) * 1000;
        expect(exp > START && exp <= START + maxLifetime + clockSkew).toBe(true);
        expect(outcome.expiresAt >= exp && Number.isSafeInteger(outcome.expiresAt)).toBe(true);
        for (const value of [claims.nbf, claims.iat]) {
          expect(value === undefined || (value as number) * 1000 <= START + clockSkew).toBe(true);
        }
        expect(outcome.jti).toBe(claims.jti);
        expect(claims.jti === undefined || (typeof claims.jti === "string" && claims.jti !== "")).toBe(true);
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});

describe("scopes of a token", () => {
  const scope = fc.constantFrom("audit:read", "tools:read", "sessions:write", "books:read", "books:write", "x");

  test("37. are among what was asked for and among what was granted, and never cross from one surface to another", () => {
    const asked = fc.oneof(
      fc.constant(undefined),
      fc.array(scope).map((names) => names.join(" ")),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(asked, fc.uniqueArray(scope), fc.constantFrom("management", "resource"), (text, granted, kind) => {
        const outcome = outcomeOf(() => scopesFor(text, granted, kind));
        if (outcome instanceof OAuthError) {
          expect(outcome.code).toBe("invalid_scope");
          return;
        }
        for (const name of outcome) {
          expect(granted).toContain(name);
          expect(text === undefined || text.split(" ").includes(name)).toBe(true);
          expect(/^(audit|tools|sessions):/.test(name)).toBe(kind === "management");
        }
        if (text !== undefined) expect(outcome.length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });
});

function outcomeOf<T extends AcceptedClaims | readonly string[]>(check: () => T): T | OAuthError {
  try {
    return check();
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
}
