import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { foreignText, html } from "../../lib/pages/html.ts";
import { authorizationURL, type SignInStarted, signIn, startSignIn } from "../oauth/authorize/started.ts";
import { AGENT, oidcApp } from "../support/oauth-apps.ts";

const MARKUP = `"><script>alert(1)</script><img src=x onerror='alert(1)'>&amp;\``;
const HOSTILE = oidcApp("hostile", {
  ...AGENT,
  clientID: "hostile",
  name: MARKUP,
  allowedAudiences: [`https://a.example/${encodeURI(MARKUP)}"><script>`],
  scopes: ["openid", "<script>alert(2)</script>"],
  defaultScopes: ["<script>alert(2)</script>"],
});

describe("what others wrote", () => {
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn({ apps: [AGENT, HOSTILE] });
  });
  afterAll(() => started.stop());

  test("35. stands as text on the consent page, wherever it comes from", async () => {
    const browser = started.newBrowser();
    const changes = { client_id: "hostile", scope: undefined, resource: undefined, state: MARKUP };
    const page = await signIn(browser, await browser.open(authorizationURL(changes)), `<script>${MARKUP}`);
    expect(page.response?.status).toBe(200);
    expect(page.html).toContain("&#34;&#62;&#60;script&#62;alert(1)");
    expect(page.html).toContain("&#60;script&#62;alert(2)");
    expect(page.html).not.toMatch(/<script|<img|onerror='/);
  });

  test("35. never reaches pages of errors as it is", async () => {
    for (const changes of [{ client_id: MARKUP }, { redirect_uri: MARKUP }]) {
      const { html: page } = await started.newBrowser().open(authorizationURL(changes));
      expect(page).not.toMatch(/<script|alert/);
    }
    const consent = await started.product.send(`/oauth2/authorize/consent?interaction=${encodeURIComponent(MARKUP)}`);
    expect(await consent.text()).not.toMatch(/<script|alert/);
  });

  test("35. is escaped by the template in content and attributes, and cannot turn text around", () => {
    expect(html`<a title="${MARKUP}">${MARKUP}</a>`.html).not.toMatch(/<script|<img|"><|'/);
    expect(html`${[html`<b>${"<"}</b>`, html`&`]}${undefined}${5}`.html).toBe("<b>&#60;</b>&5");
    expect(foreignText("evil\u202Egpj.exe\u0000\n<").html).toBe("<bdi>evil gpj.exe &#60;</bdi>");
  });
});
