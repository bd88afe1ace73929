import { afterAll, beforeAll, expect, test } from "vitest";
import { ISSUER } from "../../support/in-process.ts";
import { AGENT, REDIRECT } from "../../support/oauth-apps.ts";
import type { Visit } from "../../support/person.ts";
import {
  authorizationURL,
  DYNAMIC_CLIENTS,
  registerDynamicClient,
  type SignInStarted,
  signIn,
  startSignIn,
} from "./started.ts";

const GERMAN = "de-DE,de;q=0.9,en;q=0.8";

let started: SignInStarted;
beforeAll(async () => {
  started = await startSignIn({
    apps: [{ ...AGENT, consent: "always", idps: ["corp", "other"] }],
    oidcProvider: {
      registration: DYNAMIC_CLIENTS,
      scopeDescriptions: { "tools:read": { en: "Look at tools", de: "Tools ansehen" } },
    },
    hasTwoConnectors: true,
  });
});
afterAll(() => started.stop());

const languageOf = ({ response, html }: Visit) => [
  response?.headers.get("content-language"),
  /<html lang="(\w+)">/.exec(html)?.[1],
];

test.each<[locales: string | undefined, header: string, language: "en" | "de"]>([
  ["de", "en", "de"],
  ["fr de-AT", "en", "de"],
  ["en", GERMAN, "en"],
  ["fr", GERMAN, "de"],
  [undefined, GERMAN, "de"],
  [undefined, "fr", "en"],
])(
  "ui_locales %s with Accept-Language %s leads to %s on every page of the flow",
  async (ui_locales, header, language) => {
    const client_id = await registerDynamicClient(started, REDIRECT);
    const browser = started.newBrowser(header);
    const request = { client_id, ui_locales, scope: "tools:read" };
    const consent = await browser.open(authorizationURL(request));
    expect(languageOf(consent)).toEqual([language, language]);
    expect(consent.html).toContain(language === "de" ? "Tools ansehen" : "Look at tools");
    // The person is at the identity provider in between, and has another browser language by then.
    const elsewhere = started.newBrowser(language === "de" ? "en" : "de");
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    const again = await elsewhere.open(consent.url);
    const kept = ui_locales !== undefined && ui_locales !== "fr" ? language : language === "de" ? "en" : "de";
    expect(languageOf(again)).toEqual([kept, kept]);
  },
);

test("a person chooses where to sign in, allows and reads errors in German", async () => {
  const browser = started.newBrowser("en");
  const choice = await browser.open(authorizationURL({ ui_locales: "de" }));
  expect(choice.html).toContain("Wo möchten Sie sich anmelden?");
  const provider = await browser.press(choice, "corp");
  const consent = await signIn(browser, provider);
  expect(languageOf(consent)).toEqual(["de", "de"]);
  expect(consent.html).toContain("Sie sind angemeldet als");
  const unclear = await browser.press(
    { ...consent, html: consent.html.replace('value="allow"', 'value="both"') },
    "Zustimmen",
  );
  expect(unclear.html).toContain("Das wurde nicht verstanden");
  const answer = await browser.press(consent, "Zustimmen");
  expect(answer.url.searchParams.get("code")).toMatch(/^csc_/);
  // The interaction is gone by now, and with it what its client asked for.
  expect((await browser.open(consent.url)).html).toContain("This sign-in is over");
});

test.each<[what: string, path: string, title: string]>([
  ["an unknown application", "/oauth2/authorize?client_id=nobody", "Diese Anmeldung kann nicht beginnen"],
  ["a repeated parameter", "/oauth2/authorize?state=1&state=2", "Das hat nicht funktioniert"],
  ["no interaction", "/oauth2/authorize/consent", "Diese Anmeldung ist beendet"],
  ["a sign-out with somebody's token", "/oauth2/logout?id_token_hint=no", "So können Sie nicht abgemeldet werden"],
  ["nobody to sign out", "/oauth2/logout", "Sie sind abgemeldet"],
])("%s is told of in German", async (_, path, title) => {
  const { html } = await started.newBrowser(GERMAN).open(`${ISSUER}${path}`);
  expect(html).toContain(`<h1>${title}</h1>`);
});

test("what the client is told stays English", async () => {
  const { url } = await started.newBrowser(GERMAN).open(authorizationURL({ ui_locales: "de", prompt: "none" }));
  expect(url.searchParams.get("error_description")).toBe("nobody is signed in");
});

test("a sign-out keeps the language that the client asked for", async () => {
  const browser = started.newBrowser("en");
  const choice = await browser.open(authorizationURL({ ui_locales: "de" }));
  await signIn(browser, await browser.press(choice, "corp"));
  const ask = await browser.open(`${ISSUER}/oauth2/logout?ui_locales=de`);
  expect(ask.html).toContain("<h1>Abmelden?</h1>");
  expect(ask.response?.headers.get("content-language")).toBe("de");
});

test("the metadata says which languages there are", async () => {
  const answer = await started.product.send("/.well-known/openid-configuration");
  expect(((await answer.json()) as Record<string, unknown>).ui_locales_supported).toEqual(["en", "de"]);
});
