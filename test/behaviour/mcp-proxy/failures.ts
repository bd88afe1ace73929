import { expect, test } from "vitest";
import { textOf } from "./agent.ts";
import type { ProxyUnderTest } from "./fixture.ts";

/** Servers that fail, restart and fall silent. */
export function proxiedFailures(it: () => ProxyUnderTest): void {
  test("a server that has forgotten its sessions is begun anew, within the agent's own session", async () => {
    const { servers, ada } = it();
    await ada.session.said("held_whoami");
    servers.forget();
    const before = servers.seen.length;
    for (const agent of [ada.session, ada.stateless])
      expect(JSON.parse(await agent.said("held_whoami"))).toMatchObject({ sub: ada.clientId });
    const methods = servers.seen.slice(before).map(({ method }) => method);
    expect(methods).toContain("initialize");
  });

  test.each(["session", "stateless"] as const)(
    "what is wrong with a server is told in our words to a %s agent",
    async (generation) => {
      for (const app of ["held", "plain"]) {
        const response = await it().ada[generation].call(`${app}_crash`);
        expect(response.result?.isError).toBe(true);
        expect(textOf(response)).toBe("The MCP server refused the call with the HTTP status 500.");
      }
    },
  );

  test("31. a server that is silent holds up nobody's list, and takes no tools of others with it", async () => {
    const { servers, ada, grace } = it();
    const speak = servers.silence();
    try {
      const lists = await Promise.all([ada.session, ada.stateless, grace.stateless].map((one) => one.names("tools")));
      // Its own time is much longer: it is still being waited for.
      expect(servers.silent).toBeGreaterThan(0);
      for (const names of lists)
        expect(names).toEqual(expect.arrayContaining(["upstream_getNote", "held_whoami", "plain_whoami"]));
      expect(JSON.parse(await ada.stateless.said("plain_whoami"))).toMatchObject({ sub: ada.clientId });
    } finally {
      speak();
    }
    await expect.poll(() => grace.stateless.names("tools")).toContain("lame_whoami");
  });
}
