import fc from "fast-check";
import { createLocalJWKSet, type JWK, jwtVerify } from "jose";
import { expect, test } from "vitest";
import type { KeyRing } from "../../lib/authorization-server/keys/key-ring.ts";
import { rotate, signingKeyAt } from "../../lib/authorization-server/keys/rotation.ts";
import type { SigningKeyRecord } from "../../lib/stores/signing-keys.ts";
import { DAY, HOUR, MINUTE, openRings, type Rings } from "./rings.ts";

const SCHEDULE = { period: 90 * DAY, ahead: 15 * MINUTE, retention: DAY };

function key(name: string, times: Pick<SigningKeyRecord, "publishedAt" | "signsFrom">): SigningKeyRecord {
  const publicKey = { kty: "EC", crv: "P-256", x: name, y: name } as const;
  return { keyId: name, algorithm: "ES256", publicKey, sealedPrivateKey: "", ...times };
}

test("the first key signs at once, and nothing is due before its time is nearly over", () => {
  expect(rotate([], 7, SCHEDULE)).toEqual({ keys: [], next: { publishedAt: 7, signsFrom: 7 } });
  const first = key("first", { publishedAt: 7, signsFrom: 7 });
  expect(rotate([first], 7 + SCHEDULE.period - SCHEDULE.ahead - 1, SCHEDULE)).toBeUndefined();
});

test("a successor is published ahead of the hour, and its predecessor stays until its last token has expired", () => {
  const first = key("first", { publishedAt: 0, signsFrom: 0 });
  const due = SCHEDULE.period - SCHEDULE.ahead;
  const step = rotate([first], due, SCHEDULE);
  const retired = { ...first, retiresAt: SCHEDULE.period, removedAt: SCHEDULE.period + SCHEDULE.retention };
  expect(step).toEqual({ keys: [retired], next: { publishedAt: due, signsFrom: SCHEDULE.period } });
  const second = key("second", { publishedAt: due, signsFrom: SCHEDULE.period });
  const both = [retired, second];
  expect(signingKeyAt(both, SCHEDULE.period - 1)?.keyId).toBe("first");
  expect(signingKeyAt(both, SCHEDULE.period)?.keyId).toBe("second");
  expect(rotate(both, retired.removedAt - 1, SCHEDULE)).toBeUndefined();
  expect(rotate(both, retired.removedAt, SCHEDULE)).toEqual({ keys: [second] });
});

test("a region that slept through its rotation goes on with the old key until the new one is known", () => {
  const first = key("first", { publishedAt: 0, signsFrom: 0 });
  const late = SCHEDULE.period * 3;
  const step = rotate([first], late, SCHEDULE);
  expect(step?.next).toEqual({ publishedAt: late, signsFrom: late + SCHEDULE.ahead });
  expect(signingKeyAt([...(step?.keys ?? []), key("second", step?.next ?? never())], late)?.keyId).toBe("first");
});

test("tokens that live longer by now keep a retired key longer, and shorter ones change nothing", () => {
  const times = { publishedAt: 0, signsFrom: 0 };
  const retired = { ...key("first", times), retiresAt: DAY, removedAt: 2 * DAY };
  const keys = [retired, key("second", { publishedAt: 0, signsFrom: DAY })];
  const longer = rotate(keys, DAY, { ...SCHEDULE, retention: 3 * DAY });
  expect(longer?.keys[0]).toEqual({ ...retired, removedAt: 4 * DAY });
  expect(rotate(keys, DAY, { ...SCHEDULE, retention: HOUR })).toBeUndefined();
});

test("a clock that was set back signs with what there is and makes no key", () => {
  const only = key("only", { publishedAt: DAY, signsFrom: DAY });
  expect(signingKeyAt([only], 0)).toBe(only);
  expect(rotate([only], 0, SCHEDULE)).toBeUndefined();
});

function never(): never {
  throw new Error("there is no next key");
}

/** Somebody who keeps a copy of the JWKS for a while and does not look anew when a key is missing in it. */
interface Verifier {
  readonly keeps: number;
  readonly asks: number;
  copy?: { readonly keys: readonly JWK[]; readonly readAt: number };
}

type Step =
  | { readonly does: "wait"; readonly milliseconds: number }
  /** Until a little before or after the next change of the keys. */
  | { readonly does: "approach"; readonly offset: number }
  | { readonly does: "refresh" | "sign"; readonly instance: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("wait" as const),
      milliseconds: fc.oneof(fc.nat(20_000), fc.nat(6 * MINUTE), fc.nat(2 * HOUR), fc.nat(60 * DAY)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant("approach" as const),
      offset: fc.integer({ min: -2 * MINUTE, max: 2 * MINUTE }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ does: fc.constantFrom("refresh" as const, "sign" as const), instance: fc.nat(1) }),
  },
);

test("no unexpired token ever fails, whoever made, keeps and verifies it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 50 }), async (steps) => {
      const rings = openRings();
      try {
        await play(steps, rings, [rings.ring(), rings.ring()]);
      } finally {
        rings.close();
      }
    }),
    { numRuns: 30 },
  );
});

async function play(steps: readonly Step[], rings: Rings, instances: readonly KeyRing[]): Promise<void> {
  const verifiers: readonly Verifier[] = [
    { keeps: 5 * MINUTE, asks: 0 },
    // What libraries keep whatever the document says.
    { keeps: 10 * MINUTE, asks: 1 },
  ];
  let tokens: readonly { readonly text: string; readonly exp: number }[] = [];
  for (const taken of steps) {
    if (taken.does === "wait") rings.forward(taken.milliseconds);
    else if (taken.does === "approach") await approach(taken.offset, rings);
    else if (taken.does === "refresh") await instances[taken.instance]?.component.attempt();
    else {
      const exp = Math.floor((rings.now() + HOUR) / 1_000);
      const text = await instances[taken.instance]?.sign({ exp }, "at+jwt");
      // The oldest and the newest of those that count tell of all between them.
      if (text !== undefined) tokens = [...tokens.slice(0, 1), { text, exp }];
    }
    tokens = tokens.filter(({ exp }) => exp * 1_000 > rings.now());
    for (const { text, exp } of tokens) {
      for (const ring of instances) expect(await ring.verify(text, "at+jwt")).toEqual({ exp });
      for (const verifier of verifiers) {
        const keys = await copyOf(verifier, rings, instances);
        await jwtVerify(text, createLocalJWKSet({ keys: [...keys] }), { currentDate: new Date(rings.now()) });
      }
    }
  }
}

/** Time never goes back. */
async function approach(offset: number, rings: Rings): Promise<void> {
  const { keys } = await rings.stores.signingKeys.read();
  const times = keys.flatMap(({ signsFrom, retiresAt, removedAt }) =>
    retiresAt === undefined
      ? [signsFrom, signsFrom + SCHEDULE.period - SCHEDULE.ahead]
      : [retiresAt, removedAt ?? retiresAt],
  );
  const next = Math.min(...times.filter((time) => time > rings.now()));
  if (Number.isFinite(next)) rings.forward(Math.max(0, next + offset - rings.now()));
}

/** An empty document is not kept: it says so. */
async function copyOf(verifier: Verifier, rings: Rings, instances: readonly KeyRing[]): Promise<readonly JWK[]> {
  const { copy, keeps, asks } = verifier;
  if (copy !== undefined && copy.keys.length > 0 && rings.now() - copy.readAt < keeps) return copy.keys;
  const keys = ((await instances[asks]?.publicKeys()) ?? []) as readonly JWK[];
  verifier.copy = { keys, readAt: rings.now() };
  return keys;
}
