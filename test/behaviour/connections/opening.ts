import { expect, test } from "vitest";
import { openBrowser } from "../../support/person.ts";
import { expectJson, manage } from "../fixture.ts";
import { type ConnectionsUnderTest, linkIn, NOTE } from "./fixture.ts";

/** What people do with a link. */
export function openingLinks(it: () => ConnectionsUnderTest): void {
  const asked = async (login: string) => {
    const agent = await it().agentOf(login);
    return { agent, link: linkIn(await agent.ask("tools/call", NOTE)) };
  };

  test("66. a link that another person opens connects nothing, for neither of them, and leaves a record", async () => {
    const { agent, link } = await asked("asking");
    const page = await it().opened(it().newBrowser(), link, "bob");
    expect([page.response?.status, page.html.includes("This link is not for you")]).toEqual([403, true]);
    expect(page.html).not.toMatch(/asking|<form/);
    expect((await agent.ask("tools/call", NOTE)).result.isError).toBe(true);
    expect((await (await it().agentOf("bob")).ask("tools/call", NOTE)).result.isError).toBe(true);
    const records = async () => {
      const answer = await manage(it().owner, "GET", "/audit-events?type=connection.refused");
      return (await expectJson<{ readonly items: readonly unknown[] }>(answer, 200)).items;
    };
    await expect
      .poll(records)
      .toContainEqual(expect.objectContaining({ reason: "another person opened the link", app: "upstream" }));
  });

  test("a provider that knows this service by its document finds the keys there with which it signs", async () => {
    const read = async (url: string) => expectJson<Record<string, unknown>>(await fetch(url), 200);
    const { url } = it().us;
    const document = await read(`${url}/connect/client-metadata/signed`);
    expect(document).toMatchObject({
      client_id: `${url}/connect/client-metadata/signed`,
      token_endpoint_auth_method: "private_key_jwt",
    });
    const { keys } = await read(String(document.jwks_uri));
    const key = { kty: "EC", crv: "P-256", x: expect.any(String), y: expect.any(String), kid: expect.any(String) };
    expect(keys).toEqual([{ ...key, alg: "ES256", use: "sig" }]);
    // Whoever computed a point that is none could not import it.
    for (const one of keys as JsonWebKey[]) {
      await crypto.subtle.importKey("jwk", one, { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"]);
    }
  });

  test("66. ten callbacks at once redeem one code, and one that comes later nothing", async () => {
    const { agent, link } = await asked("again");
    const { us, hub } = it();
    // It goes where the SaaS sends it when the test says so.
    const browser = openBrowser(({ origin, pathname }) => origin !== hub.url && pathname !== "/connect/callback/hub");
    const page = await browser.open(link);
    const signedIn = page.html.includes("Sign in at Corp")
      ? await browser.press(page, "Sign in", { login: "again" })
      : page;
    hub.login = "again";
    const { url } = await browser.press(signedIn, "Go on");
    const callback = (await fetch(url, { redirect: "manual" })).headers.get("location") ?? "";
    expect(callback.startsWith(`${us.url}/connect/callback/hub?`)).toBe(true);
    const before = hub.spent.length;
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    const come = async () => (await fetch(callback, { headers: { cookie } })).text();
    const pages = await Promise.all(Array.from({ length: 10 }, come));
    expect(pages.filter((html) => html.includes("is connected to"))).toHaveLength(1);
    expect(await come()).not.toContain("is connected to");
    expect(hub.spent.length).toBe(before + 1);
    expect((await agent.ask("tools/call", NOTE)).result.isError ?? false).toBe(false);
  });

  test("66. a callback in a browser that did not begin connects nothing", async () => {
    const { agent, link } = await asked("fixed");
    const { hub } = it();
    const browser = openBrowser(({ origin }) => origin !== hub.url);
    const page = await it().opened(browser, link, "fixed");
    const { url } = await browser.press(page, "Go on");
    const callback = (await fetch(url, { redirect: "manual" })).headers.get("location") ?? "";
    const before = hub.spent.length;
    expect((await it().newBrowser().open(callback)).response?.status).toBe(400);
    expect(hub.spent.length).toBe(before);
    expect((await agent.ask("tools/call", NOTE)).result.isError).toBe(true);
  });

  test("a person who refuses at the provider reads so, and may open the link again", async () => {
    const { agent, link } = await asked("unsure");
    const browser = it().newBrowser();
    const page = await it().opened(browser, link, "unsure");
    it().hub.login = undefined;
    const refused = await browser.press(page, "Go on");
    expect([refused.response?.status, refused.html.includes("You did not allow it")]).toEqual([200, true]);
    expect((await agent.ask("tools/call", NOTE)).result.isError).toBe(true);
    await it().walk(link, "unsure");
    expect((await agent.ask("tools/call", NOTE)).result.isError ?? false).toBe(false);
  });
}
