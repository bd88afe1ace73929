import { describe, expect, test } from "vitest";
import type { ProxyUnderTest } from "./fixture.ts";

/** What the audit log has of calls and reads. */
export function proxiedRecords(it: () => ProxyUnderTest): void {
  describe.each(["session", "stateless"] as const)("38. records of a %s agent", (generation) => {
    const newest = async (query: string) => (await it().records(`${query}&limit=1`))[0];

    test.each(["held", "plain"])("38. calls at the server %s, by how they end", async (app) => {
      const { ada } = it();
      const agent = ada[generation];
      await agent.said(`${app}_whoami`);
      expect(await newest(`type=tool.invoked&tool=${app}_whoami`)).toMatchObject({
        outcome: "success",
        agent: ada.clientId,
        app,
        argumentsDigest: expect.any(String),
        durationMs: expect.any(Number),
      });
      await agent.call(`${app}_fail`);
      expect(await newest(`type=tool.invoked&tool=${app}_fail`)).toMatchObject({ outcome: "tool_error" });
      await agent.call(`${app}_crash`);
      const failed = { outcome: "upstream_error", reason: "http_500" };
      expect(await newest(`type=tool.invoked&tool=${app}_crash`)).toMatchObject(failed);
      const denied = await agent.call(`${app}_long`, { length: 5_000_000 });
      expect(denied.result?.isError).toBe(true);
      const refused = { outcome: "denied", reason: "policy" };
      expect(await newest(`type=tool.invoked&tool=${app}_long`)).toMatchObject(refused);
    });

    test.each(["held", "plain"])("38. reads at the server %s, and one that a policy denies", async (app) => {
      const { ada } = it();
      const agent = ada[generation];
      await agent.ask("resources/read", { uri: `${app}+test://notes` });
      const read = { outcome: "success", agent: ada.clientId, app, details: { resource: "test://notes" } };
      expect(await newest("type=resource.read")).toMatchObject(read);
      const denied = await agent.ask("resources/read", { uri: `${app}+test://private` });
      expect(denied.error).toMatchObject({ code: -32602 });
      const refused = { outcome: "denied", reason: "policy", details: { resource: "test://private" } };
      expect(await newest("type=resource.read&outcome=denied")).toMatchObject(refused);
    });
  });

  test("38. each call has exactly one record", async () => {
    const { ada, records } = it();
    const before = (await records("type=tool.invoked&tool=plain_count&limit=50")).length;
    await Promise.all([ada.session, ada.stateless, ada.session].map((agent) => agent.call("plain_count")));
    const after = await records("type=tool.invoked&tool=plain_count&limit=50");
    expect(after).toHaveLength(before + 3);
    expect(new Set(after.map(({ outcome }) => outcome))).toEqual(new Set(["success"]));
  });
}
