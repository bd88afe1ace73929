import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contrastOf } from "../../lib/pages/page.ts";
import { AUTHORIZE, authorizationURL, type SignInStarted, signIn, startSignIn } from "../oauth/authorize/started.ts";
import { configurationOf, mistakes } from "./support.ts";

const LOGO = `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg"/>')}`;
const document = (branding: string) => `version: 1\nhttp: {publicURL: "https://gw.example"}\nbranding: {${branding}}`;

describe("branding", () => {
  test("is a name, and what else the document says", async () => {
    expect((await configurationOf(document("name: Example Bank"))).branding).toEqual({ name: "Example Bank" });
    const all = `name: Example Bank, logo: "${LOGO}", accentColor: "#7a1f5c", darkAccentColor: "#f0a6d6"`;
    const { branding } = await configurationOf(document(all));
    expect(branding).toEqual({ name: "Example Bank", logo: LOGO, accentColor: "#7a1f5c", darkAccentColor: "#f0a6d6" });
  });

  test.each([
    ["no name", 'accentColor: "#7a1f5c"', "branding.name: required"],
    ["a logo elsewhere", 'name: a, logo: "https://cdn.example/logo.png"', "branding.logo: .*data: URL"],
    ["a logo that is no image", 'name: a, logo: "data:text/html;base64,PHA+"', "branding.logo: .*data: URL"],
    [
      "a logo that ends its attribute",
      "name: a, logo: 'data:image/png;base64,AA\"onload=x'",
      "branding.logo: .*data: URL",
    ],
    ["a colour by name", "name: a, accentColor: navy", "branding.accentColor: .*#7a1f5c"],
    ["more than a colour", 'name: a, accentColor: "#7a1f5c;}body{}"', "branding.accentColor: .*#7a1f5c"],
    ["a colour that nobody can read on white", 'name: a, accentColor: "#ffd500"', "branding.accentColor: .*4.5 to 1"],
    ["a colour that nobody can read on dark", 'name: a, darkAccentColor: "#222222"', "branding.darkAccentColor: .*4.5"],
  ])("%s is a mistake", async (_, branding, message) => {
    expect(await mistakes(document(branding))).toEqual([expect.stringMatching(new RegExp(message))]);
  });

  // Examples of WCAG's own understanding documents: black on white, and the lightest grey that passes AA on white.
  test("contrast is WCAG's", () => {
    expect(contrastOf("#000000", "#ffffff")).toBe(21);
    expect(contrastOf("#767676", "#ffffff")).toBeCloseTo(4.54, 2);
  });
});

describe("pages with branding", () => {
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn({ branding: { name: "Bank <&>", logo: LOGO, accentColor: "#7a1f5c" } });
  });
  afterAll(() => started.stop());

  test("name whose they are, and their policy allows this very style and the logo", async () => {
    const browser = started.newBrowser();
    const consent = await signIn(browser, await browser.open(authorizationURL({ prompt: "consent" })));
    const error = await started.newBrowser().open(AUTHORIZE);
    for (const { response, html } of [consent, error]) {
      expect(html).toContain(`<header><img src="${LOGO}" alt=""><span>Bank &#60;&#38;&#62;</span></header>`);
      expect(html).toMatch(/<title>.+ · Bank &#60;&#38;&#62;<\/title>/);
      const [, style = ""] = /<style>(.*)<\/style>/s.exec(html) ?? [];
      expect(style).toContain("--accent:#7a1f5c;--on-accent:#ffffff");
      const hash = createHash("sha256").update(style).digest("base64");
      const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; frame-ancestors 'none'`;
      expect(response?.headers.get("content-security-policy")).toBe(policy);
    }
  });
});
