import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import type { Configuration } from "../../lib/config/configuration.ts";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { seal } from "../../lib/kernel/seal.ts";
import {
  type AskedFor,
  appOf,
  beginAttempt,
  isOwnAttempt,
  loginURL,
  openAttempt,
  openLogin,
  originOf,
} from "../../lib/web-apps/attempt.ts";
import { toApp } from "../../lib/web-apps/attempt-checks.ts";
import { ISSUER, inProcessConfiguration } from "../support/in-process.ts";
import { webApp } from "./started.ts";

const PAYROLL = webApp("payroll", "payroll.example");
const configuration: Configuration = { ...inProcessConfiguration, apps: [PAYROLL, webApp("pay", undefined)] };
const now = { value: 1_000_000 };
const ports = {
  configuration: () => ({ revision: 1, configuration }),
  clock: { now: () => now.value },
  random: webCryptoRandom,
  stateSecret: webCryptoRandom.bytes(32),
};
const ASKED: AskedFor = {
  ...{ app: "payroll", origin: "https://payroll.example", returnTo: "/x?y=1", connectors: ["corp"] },
};

async function begin(asked = ASKED, cookies = {}) {
  const begun = await beginAttempt(asked, cookies, ports);
  const { location = "", cookies: lines = [] } = begun ?? {};
  const [, name = "", value = ""] = /^(__Host-countersign-app-[^=]+)=([^;]*)/.exec(lines[0] ?? "") ?? [];
  return { sealed: new URL(location).searchParams.get("attempt") ?? "", cookies: { [name]: value }, location, lines };
}

test("an attempt opens as it was sealed, for ten minutes", async () => {
  const { sealed, cookies, location, lines } = await begin();
  expect(location.startsWith(`${ISSUER}/.countersign/sign-in?attempt=`)).toBe(true);
  for (const line of lines)
    expect(line).toMatch(/^__Host-[\w-]+=[\w.-]*; Max-Age=\d+; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  const attempt = await openAttempt(sealed, ports);
  expect(attempt).toMatchObject(ASKED);
  expect(attempt && isOwnAttempt(attempt, cookies)).toBe(true);
  now.value += 600_000 - 1;
  expect(await openAttempt(sealed, ports)).toBeDefined();
  now.value += 1;
  expect(await openAttempt(sealed, ports)).toBeUndefined();
});

test("an attempt is of the browser that has its cookie, under its name and with its value", async () => {
  const { sealed, cookies } = await begin();
  const other = await begin();
  const attempt = await openAttempt(sealed, ports);
  if (attempt === undefined) throw new Error("the attempt does not open");
  const [[name = "", value = ""] = []] = Object.entries(cookies);
  const [[otherName = "", otherValue = ""] = []] = Object.entries(other.cookies);
  const foreign = [
    ...[{}, other.cookies, { [name]: otherValue }, { [otherName]: value }, { [name]: "" }, { [name]: `${value}A` }],
    { [name]: attempt.bindingHash },
  ];
  for (const given of foreign) expect(isOwnAttempt(attempt, given)).toBe(false);
});

test("an attempt that was altered anywhere, cut, or sealed by others is none", async () => {
  const { sealed } = await begin();
  for (let at = 0; at < sealed.length; at++) {
    const altered = sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1);
    expect(await openAttempt(altered, ports)).toBeUndefined();
  }
  const content = utf8(JSON.stringify({ ...ASKED, id: "x", bindingHash: sha256base64url("x"), expiresAt: 1e15 }));
  const terms = { secret: ports.stateSecret, purpose: "countersign web app attempt", bound: "" };
  expect(await openAttempt(await seal(content, terms, ports.random), ports)).toBeDefined();
  for (const change of [
    { secret: webCryptoRandom.bytes(32) },
    { purpose: "countersign request state" },
    { bound: "x" },
  ]) {
    expect(await openAttempt(await seal(content, { ...terms, ...change }, ports.random), ports)).toBeUndefined();
  }
  for (const text of ["", "x", sealed.slice(1), `${sealed}A`, encodeURIComponent(JSON.stringify(ASKED))]) {
    expect(await openAttempt(text, ports)).toBeUndefined();
  }
});

test("an attempt is no login and a login no attempt; a login opens for a day", async () => {
  const { sealed } = await begin();
  const login = new URL(await loginURL(ASKED, ports)).searchParams.get("attempt") ?? "";
  expect(await openLogin(sealed, ports)).toBeUndefined();
  expect(await openAttempt(login, ports)).toBeUndefined();
  expect(await openLogin(login, ports)).toEqual(ASKED);
  now.value += 24 * 3_600_000;
  expect(await openLogin(login, ports)).toBeUndefined();
});

test.each([
  [{ app: "payroll", origin: "https://payroll.example" }, "payroll"],
  [{ app: "pay", origin: ISSUER }, "pay"],
  [{ app: "payroll", origin: ISSUER }, undefined],
  [{ app: "pay", origin: "https://payroll.example" }, undefined],
  [{ app: "payroll", origin: "http://payroll.example" }, undefined],
  [{ app: "payroll", origin: "https://payroll.example:8443" }, undefined],
  [{ app: "gone", origin: "https://payroll.example" }, undefined],
])("the attempt %o is of the app %s, as the configuration is now", (attempt, expected) => {
  expect(appOf(attempt, configuration)?.name).toBe(expected);
});

test.each([
  [undefined, "https://us.example", "https://us.example"],
  ["payroll.example", "https://us.example/base", "https://payroll.example"],
  ["payroll.example", "http://us.example:8080", "http://payroll.example:8080"],
  ["payroll.example:8443", "https://us.example", "https://payroll.example:8443"],
  ["payroll.example:443", "https://us.example:8443", "https://payroll.example"],
  ["[::1]", "http://localhost:8080", "http://[::1]:8080"],
])("the route of %s at %s is reached at %s", (host, publicURL, expected) => {
  expect(originOf({ ...(host !== undefined && { host }) }, { publicURL })).toBe(expected);
});

test("60. whatever was asked for, nobody is sent anywhere but to our host and back to the app's", async () => {
  const path = fc.oneof(
    fc.webPath(),
    fc.string().map((text) => `/${text}`),
    fc.constantFrom(
      "//evil.example",
      "/\\evil.example",
      "/@evil.example",
      ".evil.example",
      "@evil.example",
      ":1@evil.example",
      "https://evil.example",
      "",
    ),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(path, async (returnTo) => {
      const { location, sealed } = await begin({ ...ASKED, returnTo });
      expect(new URL(location).origin).toBe(ISSUER);
      const attempt = await openAttempt(sealed, ports);
      if (attempt === undefined) throw new Error("the attempt does not open");
      const answer = toApp(attempt);
      if (!("redirect" in answer)) throw new Error("there is no redirect");
      expect(new URL(answer.redirect).origin).toBe(ASKED.origin);
    }),
  );
});
