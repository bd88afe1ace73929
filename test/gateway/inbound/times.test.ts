import { describe, expect, test } from "vitest";
import { guarded, trusted } from "./guarded.ts";
import { activeToken, stubServer } from "./stub-server.ts";

const SKEWS = [0, 250, 30_000] as const;
const introspection = { clientID: "gateway", clientSecret: "secret", timeout: 1_000, maxRetries: 0 };

/** A gateway whose clock stands at the beginning of a second, and the status of a token with these claims. */
async function started(method: "jwt" | "introspection", clockSkew: number) {
  const claimsOf = new Map<string, object>();
  const server = await stubServer((token) => Response.json(activeToken({ ...claimsOf.get(token) })));
  const it = guarded({ servers: [trusted(server.wellKnown, { method, clockSkew, introspection })], ...server });
  it.clock.pass(1_000 - (it.clock.now() % 1_000));
  const tokenWith = async (claims: { exp?: number; nbf?: number }) => {
    if (method === "jwt") return server.sign({ exp: 4_000_000_000, ...claims });
    const token = `opaque-${claimsOf.size}`;
    claimsOf.set(token, claims);
    return token;
  };
  const now = it.clock.now() / 1_000;
  return { it, now, tokenWith };
}

describe.each(["jwt", "introspection"] as const)("with the method %s and a clock skew", (method) => {
  test.each(SKEWS)("of %i ms a token ends exactly so long after its exp", async (skew) => {
    const { it, now, tokenWith } = await started(method, skew);
    const [early, late] = [await tokenWith({ exp: now + 100 }), await tokenWith({ exp: now + 100 })];
    it.clock.pass(100_000 + skew - 1);
    expect(await it.statusOf(early)).toBe(200);
    it.clock.pass(1);
    // Neither one that was accepted a millisecond ago nor one that is new.
    expect(await it.statusOf(early)).toBe(401);
    expect(await it.statusOf(late)).toBe(401);
  });

  test.each(SKEWS)("of %i ms a token begins exactly so long before its nbf", async (skew) => {
    const { it, now, tokenWith } = await started(method, skew);
    const token = await tokenWith({ nbf: now + 100 });
    it.clock.pass(100_000 - skew - 1);
    expect(await it.statusOf(token)).toBe(401);
    it.clock.pass(1);
    expect(await it.statusOf(token)).toBe(200);
    // A clock that is set back makes what was accepted a question again.
    it.clock.pass(-1);
    expect(await it.statusOf(token)).toBe(401);
  });
});
