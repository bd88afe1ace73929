import { describe, expect, test } from "vitest";
import type { ProxyUnderTest } from "./fixture.ts";

/** What MCP servers list and have, under the names that agents know. */
export function proxiedLists(it: () => ProxyUnderTest): void {
  describe.each(["session", "stateless"] as const)("what a %s agent sees", (generation) => {
    const agent = () => it().ada[generation];

    test("27. tools of all servers beside those of the REST API, without what is hidden or excluded", async () => {
      const names = await agent().names("tools");
      expect(names).toEqual(
        expect.arrayContaining(["upstream_getNote", "held_whoami", "plain_whoami", "lame_whoami", "held_write"]),
      );
      for (const name of ["held_hidden", "plain_hidden", "held_excluded"]) expect(names).not.toContain(name);
    });

    test("27. what is hidden or excluded is unknown to whoever calls it, and no server hears of it", async () => {
      const before = it().servers.seen.length;
      for (const name of ["held_hidden", "plain_hidden", "held_excluded"]) {
        expect((await agent().call(name)).error).toMatchObject({ code: -32602 });
      }
      const methods = it()
        .servers.seen.slice(before)
        .map(({ method }) => method);
      expect(methods).not.toContain("tools/call");
    });

    test("resources are read by the URIs that are listed", async () => {
      const uris = await agent().names("resources");
      expect(uris).toEqual(expect.arrayContaining(["held+test://notes", "plain+test://notes"]));
      for (const uri of ["held+test://notes", "plain+test://notes"]) {
        const { result } = await agent().ask("resources/read", { uri });
        expect(result?.contents).toEqual([{ uri, text: `notes of ${it().ada.clientId}` }]);
      }
    });

    test("prompts are got and completed by the names that are listed", async () => {
      expect(await agent().names("prompts")).toEqual(expect.arrayContaining(["held_review", "plain_review"]));
      for (const name of ["held_review", "plain_review"]) {
        const got = await agent().ask("prompts/get", { name });
        expect(got.result?.messages).toMatchObject([{ content: { text: "the prompt review" } }]);
        const params = { ref: { type: "ref/prompt", name }, argument: { name: "a", value: "b" } };
        const completed = await agent().ask("completion/complete", params);
        expect(completed.result?.completion).toEqual({ values: ["for review"] });
      }
    });
  });
}
