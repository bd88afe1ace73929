import { describe, expect, test } from "vitest";
import { isSecretName, REDACTED, redactText } from "../../lib/logging/redaction.ts";
import { growth, SUPER_LINEAR } from "../support/growth.ts";

const HEADER = "eyJhbGciOiJFUzI1NiJ9";

describe("10. secrets are found by their look", () => {
  test.each([
    [`token=${HEADER}.eyJzdWIiOiJhIn0.c2ln`, `token=${REDACTED}`],
    [`a.b ${HEADER}.e30.c2ln, and more`, `a.b ${REDACTED}, and more`],
    [`/path/x.${HEADER}.e30.c2ln/y`, `/path/x.${REDACTED}/y`],
    [`id-${HEADER}.e30.c2ln`, REDACTED],
    [`_${HEADER}..c2ln`, REDACTED],
    [`${HEADER}.key.iv.text.tag`, REDACTED],
    ["eyJ.short", "eyJ.short"],
    ["the words eyJust are no.secret", "the words eyJust are no.secret"],
  ])("%j", (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  const random = (length: number) => "aB3dEfGh1jKlMn0pQrStUvWxYz-_4567".repeat(4).slice(0, length);
  const word = (length: number) => "aB3dEfGh1jKlMn0pQrStUvWxYz45".repeat(4).slice(0, length);
  test.each([
    ["an authorization code of ours", `csc_us_0a${random(49)}`],
    ["a refresh token of ours", `csr_eu-west_ff${random(49)}`],
    ["a token of Vault", `hvs.${word(24)}`],
    ["a batch token of Vault", `hvb.${random(60)}`],
    ["an older token of Vault", `s.${word(24)}`],
    ["an access key of AWS", "AKIAIOSFODNN7EXAMPLE"],
    ["a temporary access key of AWS", "ASIAIOSFODNN7EXAMPLE"],
    ["a key of Google", `AIza${random(35)}`],
    ["a token of GitHub", `ghp_${word(36)}`],
    ["a token of GitLab", `glpat-${random(20)}`],
    ["a token of npm", `npm_${word(36)}`],
    ["a token of Slack", `xoxb-123456789012-${word(24)}`],
    ["an API key of a model", `sk-proj-${random(48)}`],
    ["the value of a session, a sign-in link or a setup token", random(43)],
  ])("%s", (_, secret) => {
    for (const [before, after] of [
      ["", ""],
      ["saw ", " there"],
      ['{"is":"', '"}'],
      ["(", ")"],
    ]) {
      expect(redactText(`${before}${secret}${after}`)).toBe(`${before}${REDACTED}${after}`);
    }
  });

  test.each([
    ["https://vault.example/v1?token=abcdef&version=2", `https://vault.example/v1?token=${REDACTED}&version=2`],
    ["grant_type=x&client_secret=a%20b&scope=c", `grant_type=x&client_secret=${REDACTED}&scope=c`],
    ["x-api-key=abc; path=/", `x-api-key=${REDACTED}; path=/`],
    ["X-Amz-Signature=0a1b&X-Amz-Date=today", `X-Amz-Signature=${REDACTED}&X-Amz-Date=today`],
    ["Cookie: a=1; __Host-countersign=v; b=2", `Cookie: a=1; __Host-countersign=${REDACTED}; b=2`],
    ['{"client_secret": "abc","id":"1"}', `{"client_secret": "${REDACTED}","id":"1"}`],
    ['got {\\"password\\":\\"abc\\"}', `got {\\"password\\":\\"${REDACTED}\\"}`],
    ["postgres://user:hunter2@host/db", `postgres://${REDACTED}@host/db`],
  ])("what stands behind the name of a secret: %j", (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  test.each([
    "the setup token: it must have at least 16 characters",
    "tokenPrefix=cst_us_ tokenId=tok_1 keyPairId=key_1",
    "https://us.example/oauth2/token answered 503",
    "https://registry.example/@scope/name",
    "01M7WNN1H0TT7FK4NGYXJ6RT18 3d539dc3-7f5e-4c6b-9a52-3a2f1e0d9c8b",
    "a-path-of-many-words-that-has-just-as-many-characters-as-a-token",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
    "at handle (file:///srv/countersign/lib/authorization-server/token-request.ts:21:14)",
  ])("%j stays as it is", (text) => {
    expect(redactText(text)).toBe(text);
  });
});

describe("37. looking for secrets takes time linear in the text", () => {
  const units = [
    ...["eyJ", "eyJabcdefgh", "eyJabcdefgh.", "eyJabcdefgh ", ".eyJ", "-", "a.", "cst_", "cst_a", "cst_a_", "cst_a-"],
    ...[
      "Bearer ",
      "Bearer",
      "Basic \t",
      " ",
      "-----BEGIN ",
      "-----BEGIN PRIVATE KEY",
      "PRIVATE KEY",
      "-----END ",
      "A ",
    ],
    ...[
      "hvs.",
      "s.",
      "AKIA",
      "AIza",
      "ghp_",
      "sk-",
      "token",
      "token=",
      "token=a",
      "secret-",
      "=",
      '"',
      '"token"',
      "://",
    ],
    ...['"token":"', '\\"token\\":\\"', "://a", "__Host-", "__Host-a=", "Ab1", "Ab1-", "@", "a@"],
  ];
  const starts = [
    "",
    "eyJ",
    "cst_",
    "Bearer ",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n-----END ",
  ];

  test.each(starts)(
    "after %j",
    (start) => {
      for (const unit of units) {
        const text = (length: number) => `${start}${unit.repeat(length / unit.length)}!`;
        expect(growth(text, redactText), unit).toBeLessThan(SUPER_LINEAR);
      }
    },
    60_000,
  );

  test("also in the names of fields", () => {
    for (const unit of ["private-", "api_", "secret", "a"]) {
      expect(
        growth((length) => `${unit.repeat(length / unit.length)}!`, isSecretName),
        unit,
      ).toBeLessThan(SUPER_LINEAR);
    }
  });
});
