import { expect, test } from "vitest";
import type { PersonsBrowser, Visit } from "../../support/person.ts";
import { expectJson, manage } from "../fixture.ts";
import { type ConnectionsUnderTest, linkIn, NOTE, type PersonsAgent } from "./fixture.ts";

/** Tokens that a provider gave and that nobody keeps. */
export function keepingNothing(it: () => ConnectionsUnderTest): void {
  /** Goes to the provider and back with the link that the agent of the person got, as whoever is signed in there. */
  const back = async (agent: PersonsAgent, login: string, account = login): Promise<[PersonsBrowser, Visit]> => {
    const browser = it().newBrowser();
    const page = await it().opened(browser, linkIn(await agent.ask("tools/call", NOTE)), login);
    it().hub.login = account;
    return [browser, await browser.press(page, "Go on")];
  };
  const isServed = async (agent: PersonsAgent) => (await agent.ask("tools/call", NOTE)).result.isError !== true;
  const reasons = async () => {
    const answer = await manage(it().owner, "GET", "/audit-events?type=connection.refused");
    const { items } = await expectJson<{ readonly items: readonly { readonly reason?: string }[] }>(answer, 200);
    return items.map(({ reason }) => reason);
  };

  test("71. a person who is stopped while the provider answers connects nothing, and the new tokens are revoked", async () => {
    const { hub, owner } = it();
    const agent = await it().agentOf("stopped");
    const place = { kind: "person", id: it().personOf("stopped"), state: "suspended", reason: "The laptop is lost." };
    let stopId = "";
    hub.meanwhile = async () => {
      const answer = await expectJson<{ stop: { stopId: string } }>(await manage(owner, "POST", "/stops", place), 200);
      stopId = answer.stop.stopId;
    };
    const [, page] = await back(agent, "stopped");
    expect([page.html.includes("Nothing was connected"), page.html.includes("is connected to")]).toEqual([true, false]);
    expect(stopId).not.toBe("");
    const [access, refresh] = hub.tokensOf("stopped");
    await expect.poll(() => hub.revoked).toEqual(expect.arrayContaining([access, refresh]));
    // Who is suspended has no session from then on.
    const isRecorded = (reason: string | undefined) =>
      reason === "the person is suspended" || reason === "another session came back";
    await expect.poll(async () => (await reasons()).some(isRecorded)).toBe(true);
    await manage(owner, "POST", `/stops/${stopId}/resume`, { reason: "It was found." });
  });

  test("71. of two accounts the one that the person keeps serves, and the tokens of the other one are revoked", async () => {
    const { hub } = it();
    const agent = await it().agentOf("twofold");
    await it().walk(linkIn(await agent.ask("tools/call", NOTE)), "twofold");
    const asked = async (account: string) => {
      hub.end("twofold");
      hub.forget("twofold");
      const [browser, page] = await back(agent, "twofold", account);
      expect(page.html).toContain("Keep the former one");
      return { browser, page, tokens: hub.tokensOf(account) };
    };
    // Nobody answers: the pair lies in the store, sealed, until the question is over.
    const unanswered = await asked("twofold-unanswered");
    const refused = await asked("twofold-refused");
    expect((await refused.browser.press(refused.page, "Keep the former one")).html).toContain("Nothing was changed");
    await expect.poll(() => hub.revoked).toEqual(expect.arrayContaining([...refused.tokens]));
    const taken = await asked("twofold-taken");
    expect((await taken.browser.press(taken.page, "Use the new one")).html).toContain("is connected to");
    expect(await isServed(agent)).toBe(true);
    for (const token of [...unanswered.tokens, ...taken.tokens]) expect(hub.revoked).not.toContain(token);
  });
}
