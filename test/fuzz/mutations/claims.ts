import { generateKeyPairSync } from "node:crypto";
import type { AssertionDraft, Mutation } from "../draft.ts";
import type { Prng } from "../prng.ts";
import type { World } from "../world.ts";

/** Changes of what an assertion says; it is signed afterwards, so that the product reads all of it. */
export const claimMutations: readonly Mutation<AssertionDraft>[] = [
  (draft, { prng }) => withClaim(draft, prng.pick(CLAIMS), oddValue(prng)),
  (draft, { prng }) => withClaim(draft, prng.pick(CLAIMS), undefined),
  (draft, { prng }) => withClaim(draft, prng.pick(["exp", "nbf", "iat"]), oddTime(prng)),
  (draft, { prng, world }) => withClaim(draft, "aud", oddAudience(prng, world)),
  (draft, { prng, world }) => withSubject(draft, oddSubject(prng, world)),
  (draft, { prng, world }) => withClaim(draft, prng.pick(["iss", "sub"]), oddSubject(prng, world)),
  (draft, { prng }) => withClaim(draft, "jti", prng.text(1 + prng.int(20_000))),
  (draft, { prng }) =>
    withClaim(draft, "jti", `${prng.text(20)}${prng.pick(["\0", "\ud800", "é", "\u2028", "'", "\\"])}`),
  (draft, { prng }) => withClaim(draft, prng.text(6), oddValue(prng)),
  (draft, { prng }) => withClaim(draft, prng.pick(["__proto__", "constructor", "toString"]), oddValue(prng)),
];

/** Changes of the header and of the key that signs. */
export const headerMutations: readonly Mutation<AssertionDraft>[] = [
  (draft, { prng }) =>
    withHeader(
      draft,
      "alg",
      prng.pick(["none", "None", "", "HS256", "RS256", "ES384", "es256", "ES256K", 1, null, ["ES256"]]),
    ),
  (draft, { prng }) => withHeader(draft, prng.pick(["alg", "typ", "kid"]), oddValue(prng)),
  (draft, { prng }) => withHeader(draft, prng.pick(["alg", "typ", "kid"]), undefined),
  (draft, { prng }) => withHeader(draft, "kid", prng.text(43)),
  (draft, { prng }) => withHeader(draft, "kid", kidText(draft) + prng.pick(["\0", " ", "'", "=", "\n"])),
  (draft, { prng }) => withHeader(draft, prng.pick(["crit", "jwk", "jku", "x5c", "x5u"]), oddValue(prng)),
  (draft, { prng }) => withHeader(draft, prng.pick(["b64", "zip", "cty", "x5t", "enc", prng.text(5)]), oddValue(prng)),
  (draft, { prng }) =>
    withHeader(
      draft,
      "typ",
      prng.pick(["at+jwt", "JWS", "application/JWT", "application/application/jwt", " jwt", "jwt\n"]),
    ),
  (draft) => ({ ...draft, key: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey }),
  (draft, { prng, world }) => ({ ...draft, key: prng.pick(allKeys(world)) }),
];

const CLAIMS: readonly string[] = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"];

function withClaim(draft: AssertionDraft, name: string, value: unknown): AssertionDraft {
  return { ...draft, claims: replaced(draft.claims, name, value) };
}

function withHeader(draft: AssertionDraft, name: string, value: unknown): AssertionDraft {
  return { ...draft, header: replaced(draft.header, name, value) };
}

function withSubject(draft: AssertionDraft, value: unknown): AssertionDraft {
  return withClaim(withClaim(draft, "iss", value), "sub", value);
}

/** A copy with an own member, whatever its name. */
/** An earlier change may have made the `kid` anything. */
function kidText({ header: { kid } }: AssertionDraft): string {
  return typeof kid === "string" ? kid : "";
}

function replaced(object: Readonly<Record<string, unknown>>, name: string, value: unknown): Record<string, unknown> {
  return Object.fromEntries([...Object.entries(object).filter(([key]) => key !== name), [name, value]]);
}

export function oddValue(prng: Prng): unknown {
  const text = prng.text(prng.int(12));
  return prng.pick<unknown>([
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    "",
    " ",
    text,
    `${text}\0`,
    "\ud800",
    "é",
    "%00",
    "a b",
    [],
    [text],
    [[]],
    {},
    { [text]: text },
    { toString: text, length: -1 },
    text.repeat(500),
    Array.from({ length: 200 }, () => text),
  ]);
}

function oddTime(prng: Prng): unknown {
  const now = Math.floor(Date.now() / 1000);
  const near = [now, now - 100, now + 100, now + 3500, now + 3700, now + 0.5, now * 1000, -now];
  return prng.pick<unknown>([
    ...near,
    0,
    1,
    1e15,
    1e21,
    1e308,
    -1e308,
    2 ** 53,
    2 ** 63,
    String(now + 60),
    `${now}`,
    [now + 60],
    null,
  ]);
}

function oddAudience(prng: Prng, { issuer, tokenEndpoint }: World): unknown {
  return prng.pick<unknown>([
    [issuer],
    [tokenEndpoint],
    [issuer, "https://elsewhere.example"],
    [],
    `${issuer}/`,
    `${tokenEndpoint}/`,
    `${tokenEndpoint}?`,
    `${tokenEndpoint}#`,
    issuer.toUpperCase(),
    ` ${issuer}`,
    issuer.replace("127.0.0.1", "localhost"),
    `${issuer}/oauth2/introspect`,
    `${issuer}/oauth2//token`,
    "https://elsewhere.example",
    { url: issuer },
    `${issuer}\0`,
  ]);
}

function oddSubject(prng: Prng, { clients }: World): unknown {
  const [own = ""] = clients.keys();
  const known = [...clients.keys()];
  const spoilt = own.slice(0, -1) + prng.text(1, "0123456789abcdef");
  return prng.pick<unknown>([
    ...known,
    spoilt,
    own.toUpperCase(),
    `${own} `,
    `${own}\0`,
    [own],
    { own },
    "client_",
    own.slice(7),
    oddValue(prng),
  ]);
}

function allKeys({ clients }: World) {
  return [...clients.values()].flatMap(({ keys }) => keys.map(({ privateKey }) => privateKey));
}
