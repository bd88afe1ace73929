import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ConsoleStarted,
  goThroughCorp,
  signInAtCorp,
  startConsole,
} from "../directory/connector-sign-in/started.ts";
import { createMeddler, otherIdToken, signIdToken } from "../oauth/authorize/forged-tokens.ts";
import { ISSUER } from "../support/in-process.ts";

const CALLBACK = "/api/v1/sign-in/oidc/callback";
const problem = (code: string) => `${ISSUER}/console/sign-in?problem=${code}`;

const meddler = createMeddler();
let started: ConsoleStarted;
beforeAll(async () => {
  started = await startConsole(meddler.adapt);
  await goThroughCorp(await started.signedIn(), { link: true }, "alice");
});
afterAll(() => started.stop());

/** A browser that has signed in at the connector and not come back yet, with the answer that it carries. */
async function onTheWayBack() {
  const browser = started.newBrowser();
  const { body } = await browser.call("POST", "/sign-in/oidc/corp", {});
  const other = started.newBrowser();
  const { way } = await signInAtCorp(other, body.location as string, "alice");
  const answer = way.find((address) => address.startsWith(ISSUER + CALLBACK)) as string;
  return { browser, answer: new URL(answer) };
}

const pathOf = ({ pathname, search }: URL) => pathname + search;

test("14. the request to the connector carries state, nonce and PKCE, and names this callback alone", async () => {
  const { body, headers } = await started.newBrowser().call("POST", "/sign-in/oidc/corp", {});
  const { searchParams } = new URL(body.location as string);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    response_type: "code",
    redirect_uri: ISSUER + CALLBACK,
    code_challenge_method: "S256",
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{20,}$/),
  });
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-countersign-console-sign-in=[\w-]{43}; Max-Age=600; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    ),
  ]);
});

test("14. an answer counts only in the browser that began, so that nobody is signed in as somebody else", async () => {
  const { browser, answer } = await onTheWayBack();
  const victim = started.newBrowser();
  expect((await victim.open(pathOf(answer))).headers.get("Location")).toBe(problem("expired"));
  await victim.call("POST", "/sign-in/oidc/corp", {});
  expect((await victim.open(pathOf(answer))).headers.get("Location")).toBe(problem("expired"));
  expect(victim.cookies.has("__Host-countersign-console")).toBe(false);
  expect((await browser.open(pathOf(answer))).headers.get("Location")).toBe(`${ISSUER}/console/`);
});

test("14. an answer counts once, and not after ten minutes", async () => {
  const { browser, answer } = await onTheWayBack();
  expect((await browser.open(pathOf(answer))).headers.get("Location")).toBe(`${ISSUER}/console/`);
  expect((await browser.open(pathOf(answer))).headers.get("Location")).toBe(problem("expired"));
  const late = await onTheWayBack();
  const { clock } = started.product;
  const now = clock.now();
  clock.set(now + 600_000);
  expect((await late.browser.open(pathOf(late.answer))).headers.get("Location")).toBe(problem("expired"));
  clock.set(now);
});

test("14. an answer that another issuer claims, or nobody, is none", async () => {
  for (const issuer of ["https://evil.example", undefined]) {
    const { browser, answer } = await onTheWayBack();
    if (issuer === undefined) answer.searchParams.delete("iss");
    else answer.searchParams.set("iss", issuer);
    expect((await browser.open(pathOf(answer))).headers.get("Location")).toBe(problem("failed"));
  }
});

test("14. an ID token for another sign-in, client or of another key brings nobody", async () => {
  const { key } = started.provider;
  const changes = [
    otherIdToken((claims) => signIdToken({ ...claims, nonce: "another" }, key)),
    otherIdToken((claims) => signIdToken({ ...claims, aud: "another client" }, key)),
    otherIdToken((claims) => signIdToken({ ...claims, iss: "https://evil.example" }, key)),
  ];
  for (const change of changes) {
    const { browser, answer } = await onTheWayBack();
    meddler.set(change);
    const { headers } = await browser.open(pathOf(answer));
    meddler.set(undefined);
    expect(headers.get("Location")).toBe(problem("failed"));
  }
});

test("14. other sites begin no sign-in, and looking at the callback uses nothing up", async () => {
  const headers = { "Content-Type": "application/json", "Sec-Fetch-Site": "cross-site" };
  const foreign = await started.product.send("/api/v1/sign-in/oidc/corp", { method: "POST", headers, body: "{}" });
  expect(foreign.status).toBe(403);
  expect((await started.product.send("/api/v1/sign-in/oidc/corp")).status).toBe(405);
  const { browser, answer } = await onTheWayBack();
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const head = await started.product.send(pathOf(answer), { method: "HEAD", headers: { cookie } });
  expect(head.status).toBe(405);
  expect((await browser.open(pathOf(answer))).headers.get("Location")).toBe(`${ISSUER}/console/`);
});
