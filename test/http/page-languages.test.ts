import { describe, expect, test } from "vitest";
import type { AuthorizationRequest } from "../../lib/authorization-server/authorize/authorization-request.ts";
import { connectorPage, consentPage } from "../../lib/authorization-server/authorize/sign-in-pages.ts";
import type { OAuthClient } from "../../lib/authorization-server/clients/client.ts";
import {
  connectPage,
  donePage,
  keptPage,
  notYoursPage,
  refusedPage,
  replacementPage,
} from "../../lib/connecting/connect-pages.ts";
import type { ConnectRequest } from "../../lib/connections/connect-request.ts";
import { foreignText, type Html, html } from "../../lib/pages/html.ts";
import {
  type Language,
  type LocalizedText,
  languageOfHeader,
  languageOfLocales,
  textIn,
} from "../../lib/pages/language.ts";
import { de } from "../../lib/pages/messages/de.ts";
import { type ErrorText, en, type Messages } from "../../lib/pages/messages/en.ts";
import { type Page, renderPage } from "../../lib/pages/page.ts";
import { errorPage } from "../../lib/pages/page-error.ts";
import { circlePage } from "../../lib/web-apps/ask-to-sign-in.ts";
import { refusalPage, webRefusal } from "../../lib/web-apps/refusal.ts";

test.each<[header: string | undefined, language: Language]>([
  [undefined, "en"],
  ["", "en"],
  ["*", "en"],
  ["de", "de"],
  ["DE", "de"],
  ["de-AT", "de"],
  ["de-Latn-DE-1996", "de"],
  ["de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", "de"],
  ["en-US,en;q=0.9,de;q=0.8", "en"],
  ["en;q=0.2, de;q=0.9", "de"],
  ["en;q=0.5,de;q=0.5", "en"],
  ["de ; q=0.5 , en ; q=0.4", "de"],
  ["fr, de;q=0.1", "de"],
  ["fr-CH, it;q=0.9", "en"],
  ["*, de;q=0.1", "de"],
  ["de;q=0", "en"],
  ["de;q=0.000, en;q=0.001", "en"],
  ["de;q=1.5", "en"],
  ["de;q=high", "en"],
  ["deu", "en"],
  ["den, de", "de"],
  [";q=1,,de", "de"],
  [`${"fr,".repeat(400)}de`, "en"],
])("Accept-Language %j leads to %s", (header, language) => {
  expect(languageOfHeader(header)).toBe(language);
});

test.each<[locales: string | undefined, language: Language | undefined]>([
  [undefined, undefined],
  ["", undefined],
  ["de", "de"],
  ["fr-CA de-CH en", "de"],
  ["en-GB de", "en"],
  ["fr it", undefined],
  ["de,en", undefined],
  ["*", undefined],
  ["constructor", undefined],
])("ui_locales %j asks for %s", (locales, language) => {
  expect(languageOfLocales(locales)).toBe(language);
});

test.each<[text: LocalizedText, language: Language, shown: string]>([
  ["Read", "de", "Read"],
  [{ en: "Read", de: "Lesen" }, "de", "Lesen"],
  [{ en: "Read", de: "Lesen" }, "en", "Read"],
  [{ en: "Read" }, "de", "Read"],
])("of %j the text in %s is %s", (text, language, shown) => {
  expect(textIn(text, language)).toBe(shown);
});

type Leaf = readonly [path: string, value: unknown];

function leaves(value: unknown, path: string): readonly Leaf[] {
  if (typeof value !== "object" || value === null || "html" in value) return [[path, value]];
  return Object.entries(value).flatMap(([key, member]) => leaves(member, path === "" ? key : `${path}.${key}`));
}

/** What a message says. Functions get a name for each parameter that says nothing in any language. */
function said(value: unknown): string {
  if (typeof value !== "function") return textOf(value as string | Html);
  const made = (value as (...names: readonly unknown[]) => string | Html | ErrorText)(...NAMES);
  return typeof made === "object" && "title" in made
    ? leaves(made, "")
        .map(([, part]) => textOf(part as string | Html))
        .join(" | ")
    : textOf(made);
}

const NAMES = ["⟨1⟩", "⟨2⟩", "⟨3⟩"];

function textOf(value: string | Html): string {
  return typeof value === "string" ? value : value.html;
}

/** In German, what only developers and operators say stands in their own words, marked as English. */
const TECHNICAL = /<code lang="en">.*?<\/code>/g;

describe("German", () => {
  test.each(leaves(en, ""))("says %s otherwise than English", (path, english) => {
    const german = path.split(".").reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], de);
    expect(typeof german).toBe(typeof english);
    const words = said(german).replace(TECHNICAL, "");
    expect(words).not.toBe(said(english));
    expect(words).not.toMatch(/\b(?:the|you|your|is|are|were|not|this|that|it|and|or)\b/i);
    expect(words).not.toMatch(/"|'|“[^„]*”|\.\.|\s\s/);
  });

  test.each(leaves(en, "").filter(([, value]) => typeof value === "function"))(
    "names in %s what English names",
    (path, english) => {
      const german = path.split(".").reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], de);
      const [named, ofEnglish] = [german, english].map((value) => NAMES.filter((name) => said(value).includes(name)));
      if (!IN_OWN_WORDS.includes(path)) expect(named).toEqual(ofEnglish);
    },
  );
});

/** Messages that English takes from elsewhere, and German has words of its own for. */
const IN_OWN_WORDS = ["cannotBegin.stopped", "errors.problem", "webApps.denied", "webApps.limited", "webApps.fault"];

const CLIENT = { kind: "dynamic", clientId: "7", name: "1", uri: "https://2/" } as unknown as OAuthClient;
const DESCRIBED = { kind: "metadata_document", clientId: "https://2/3", name: "1" } as unknown as OAuthClient;
const APP = { kind: "app", clientId: "7", name: "1" } as unknown as OAuthClient;
const REQUEST = { scopes: ["9"], resources: ["8"], redirectURL: "https://5/" } as unknown as AuthorizationRequest;
const PRIVATE = { ...REQUEST, scopes: [], redirectURL: "x.y:/" };
const LOOPBACK = { ...REQUEST, scopes: ["openid", "email"], redirectURL: "http://127.0.0.1/" };
const SIGN_IN = { claims: {}, subject: "6", connector: "4" } as unknown as Parameters<typeof connectPage>[0]["signIn"];
const CONNECT: ConnectRequest = {
  ...{ organizationId: "1", person: "2", app: "3", connector: "4", agent: "5", perAgent: false, scopes: ["6"] },
};
const OF_PERSON: ConnectRequest = { ...CONNECT, agent: "", returnTo: "https://3/", scopes: [] };
const SHOWN = { id: "1", requestId: "2" };
const consent = { action: "/1", secret: "2", requestId: "3", scopeDescriptions: {}, signIn: undefined };

/** All that there is of pages, made of names without a letter. */
const PAGES: readonly (readonly [name: string, page: Page])[] = [
  ["consent for an app", consentPage({ ...consent, client: APP, request: REQUEST, signIn: SIGN_IN })],
  ["consent for a dynamic client", consentPage({ ...consent, client: CLIENT, request: LOOPBACK })],
  ["consent for a client with a document", consentPage({ ...consent, client: DESCRIBED, request: PRIVATE })],
  [
    "the choice of a connector",
    connectorPage({ name: "1", connectors: ["2"], action: "/3", field: { name: "4", value: "5" }, requestId: "6" }),
  ],
  [
    "connecting for an agent",
    connectPage({ ...SHOWN, request: CONNECT, secret: "3", signIn: SIGN_IN, agentName: "4", host: "5" }),
  ],
  [
    "connecting for one agent",
    connectPage({
      ...SHOWN,
      request: { ...CONNECT, perAgent: true },
      secret: "3",
      signIn: SIGN_IN,
      agentName: undefined,
      host: "5",
    }),
  ],
  [
    "connecting for a person",
    connectPage({ ...SHOWN, request: OF_PERSON, secret: "3", signIn: SIGN_IN, agentName: undefined, host: "5" }),
  ],
  ["another account", replacementPage({ ...SHOWN, request: CONNECT, secret: "3", former: "4", next: "5" })],
  ["a connected account", donePage({ request: CONNECT, account: { id: "1" }, missing: ["2", "3"], requestId: "4" })],
  [
    "a connected account of a web app",
    donePage({ request: OF_PERSON, account: undefined, missing: [], requestId: "4" }),
  ],
  ["a kept account", keptPage({ request: CONNECT, former: "1", requestId: "2" })],
  ["somebody else's link", notYoursPage("/1", "2")],
  [
    "nothing connected",
    refusedPage({ text: ({ connect }) => connect.sessionEnded, status: 400, again: "1", requestId: "2" }),
  ],
  ["signing in in a circle", circlePage({ requestId: "1" })],
  [
    "a refusal of a web app",
    refusalPage(
      webRefusal("forbidden", ({ noPolicy }) => noPolicy),
      "1",
    ),
  ],
  [
    "a refusal of a web app to an account",
    refusalPage(
      { ...webRefusal("forbidden", ({ stopped }) => stopped), signedIn: { name: "1", otherSignIn: "/2" } },
      "3",
    ),
  ],
  ["an error", errorPage(({ errors }) => errors.noProvider, 503, "1")],
];

/** Messages of no language: each is a mark, with what it names. */
function marked<Part>(part: Part): Part {
  if (typeof part === "string") return "¤" as Part;
  if (typeof part === "function") {
    return ((...names: readonly unknown[]) => {
      const made: unknown = part(...names);
      return isHtml(made) ? html`¤${names.filter(isHtml)}` : marked(made);
    }) as Part;
  }
  return Object.fromEntries(Object.entries(part as object).map(([key, member]) => [key, marked(member)])) as Part;
}

function isHtml(value: unknown): value is Html {
  return typeof value === "object" && value !== null && "html" in value;
}

describe.each(PAGES)("the page of %s", (_, page) => {
  test("has every word from the messages", () => {
    const messages: Messages = marked(en);
    const { body } = page(messages, "de");
    const shown = body.html.replace(/<[^>]+>/g, " ").replace(/openid|email|localhost/g, "");
    expect(shown).toContain("¤");
    expect(shown).not.toMatch(/\p{Letter}/u);
  });

  test("is German where German is asked for, and says so", () => {
    const { html: text, headers } = renderPage(page, "de");
    expect(text).toContain('<html lang="de">');
    expect(headers["Content-Language"]).toBe("de");
    const [english, german] = [en, de].map((messages) => page(messages, "de").title);
    expect(german).not.toBe(english);
    expect(text).toContain(`<title>${textOf(foreignTitle(german as string))}`);
  });
});

function foreignTitle(title: string): Html {
  return html`${title}`;
}

test("a description of a scope is shown in the page's language", () => {
  const scopeDescriptions = { "9": { en: "Add books", de: "Bücher hinzufügen" } };
  const page = consentPage({ ...consent, client: APP, request: REQUEST, scopeDescriptions });
  expect(page(de, "de").body.html).toContain(`<li>Bücher hinzufügen <code>${foreignText("9").html}</code>`);
  expect(page(en, "en").body.html).toContain(`<li>Add books <code>`);
});
