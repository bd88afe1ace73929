import { describe, expect, test } from "vitest";
import { notification, post } from "../mcp/session.ts";
import type { Generation } from "./agent.ts";
import type { ProxyUnderTest } from "./fixture.ts";

const GENERATIONS: readonly Generation[] = ["session", "stateless"];

/** What no rule of the configuration is about, and what looks like something else. */
export function undecided(it: () => ProxyUnderTest): void {
  /** Methods, names and URIs that came at a server meanwhile, but for what the gateway asks by itself. */
  async function arrived(work: () => Promise<unknown>): Promise<readonly string[]> {
    const before = it().servers.seen.length;
    await work();
    return it()
      .servers.seen.slice(before)
      .filter(({ method }) =>
        /^(tools\/call|resources\/read|prompts\/get|completion|custom|notifications\/custom)/.test(method),
      )
      .map(({ method, message }) => `${method} ${JSON.stringify(message.params)}`);
  }

  describe("45. a name with characters that nobody sees", () => {
    test.each([
      "whoami\u2028",
      "danger\n",
      "da\nnger",
      "hidden\r",
      "\u202ewhoami",
      "who\u200bami",
      "whoami\ufe0f",
      "held_whoami\n",
    ])("45. %j is no tool's and no prompt's", async (name) => {
      const { session } = it().ada;
      const came = await arrived(async () => {
        expect((await session.call(name)).error).toMatchObject({ code: -32602 });
        expect((await session.ask("prompts/get", { name })).error).toMatchObject({ code: -32602 });
        const ref = { type: "ref/prompt", name };
        const completed = await session.ask("completion/complete", { ref, argument: { name: "a", value: "b" } });
        expect(completed.error).toMatchObject({ code: -32602 });
      });
      expect(came).toEqual([]);
    });

    test("45. is not listed, and neither is a tool that no entry for scopes names", async () => {
      const names = await it().ada.session.names("tools");
      expect(names).toEqual(expect.arrayContaining(["whoami", "danger", "held_whoami"]));
      expect(names.filter((name) => name.includes("broken") || /^(held_|plain_)?unruled/.test(name))).toEqual([]);
    });
  });

  describe.each(GENERATIONS)("what a %s agent asks for that is not decided on", (generation) => {
    const agent = () => it().ada[generation];

    test("45. a tool that no entry names is unknown, and the denial recorded", async () => {
      const came = await arrived(async () => {
        expect((await agent().call("unruled")).error).toMatchObject({ code: -32602 });
        expect((await agent().call("held_unruled")).error).toMatchObject({ code: -32602 });
      });
      expect(came).toEqual([]);
      const [record] = await it().records("type=tool.invoked&tool=unruled&limit=1");
      expect(record).toMatchObject({ outcome: "denied", reason: "no_rule" });
    });

    test.each(["custom/exec", "tools/call/", "tools.call", "Tools/Call", "custom/told/", "notifications/custom/told/"])(
      "46. the method %j, which no configuration names, is not served",
      async (method) => {
        const came = await arrived(async () => {
          expect((await agent().ask(method, { name: "danger", arguments: {} })).error).toMatchObject({ code: -32601 });
        });
        expect(came).toEqual([]);
      },
    );

    test("46. a method that the configuration names is decided on and recorded", async () => {
      const { ada, records } = it();
      expect((await agent().ask("custom/told", { what: "this" })).result).toMatchObject({ told: "this" });
      const used = { agent: ada.clientId, app: "bare" };
      expect((await records("type=method.used&limit=1"))[0]).toMatchObject({
        ...used,
        outcome: "success",
        details: { method: "custom/told" },
      });
      const came = await arrived(async () => {
        expect((await agent().ask("custom/denied")).error).toMatchObject({ code: -32602 });
      });
      expect(came).toEqual([]);
      // Denials of one kind are counted after the first.
      expect(await records("type=method.used&outcome=denied")).toContainEqual(
        expect.objectContaining({
          ...used,
          reason: "policy",
          details: expect.objectContaining({ method: "custom/denied" }),
        }),
      );
    });

    test.each([
      "test://notes/../private",
      "test://notes/%2e%2e/private",
      "test://notes/%252e%252e/private",
      "test://notes/..%2fprivate",
      "test://notes/..%5cprivate",
      "test://notes/..\\private",
      "test://notes/.%2E/private",
      "test://notes/./private",
      "test://notes/%c0%ae%c0%ae/private",
      "test://notes/..;a=b/private",
      "test://notes?/../../private",
      "test:..",
    ])("46. %s leads nowhere", async (uri) => {
      const came = await arrived(async () => {
        for (const asked of [uri, `held+${uri}`]) {
          expect((await agent().ask("resources/read", { uri: asked })).error).toMatchObject({ code: -32602 });
          const ref = { type: "ref/resource", uri: asked };
          const params = { ref, argument: { name: "a", value: "b" } };
          expect((await agent().ask("completion/complete", params)).error).toMatchObject({ code: -32602 });
        }
      });
      expect(came).toEqual([]);
    });
  });

  describe.each(GENERATIONS)("what a %s agent asks for that no server lists", (generation) => {
    const agent = () => it().ada[generation];

    test.each(["held_", "plain_", ""])("46. a tool or prompt of %j reaches no server", async (namespace) => {
      const came = await arrived(async () => {
        for (const name of [`${namespace}unheard`, `${namespace}Whoami`, `${namespace}whoami/`]) {
          expect((await agent().call(name)).error).toMatchObject({ code: -32602 });
          expect((await agent().ask("prompts/get", { name })).error).toMatchObject({ code: -32602 });
          const ref = { type: "ref/prompt", name };
          const completed = await agent().ask("completion/complete", { ref, argument: { name: "a", value: "b" } });
          expect(completed.error).toMatchObject({ code: -32602 });
        }
      });
      expect(came).toEqual([]);
    });

    test.each(["held+", "plain+", ""])(
      "46. a resource of %j is that of a list, a template or a link",
      async (prefix) => {
        const read = async (uri: string) => {
          const { result, error } = await agent().ask("resources/read", { uri: `${prefix}${uri}` });
          return error === undefined ? ((result?.contents ?? []) as readonly unknown[]).length : "refused";
        };
        const came = await arrived(async () => {
          for (const uri of ["test://other", "test://notes2", "test://of/a/b", "test://linked/never"])
            expect([uri, await read(uri)]).toEqual([uri, "refused"]);
        });
        expect(came).toEqual([]);
        for (const uri of ["test://notes", "test://of/a", "test://of/%C3%A9"])
          expect([uri, await read(uri)]).toEqual([uri, 1]);
      },
    );

    test.each(["held", "plain", "bare"])(
      "46. a link of a result of %s is known to the caller that got it, and to no other",
      async (app) => {
        const { grace, us } = it();
        const what = `${app}-${generation}`;
        const { result } = await agent().call(app === "bare" ? "link" : `${app}_link`, { what });
        const [{ uri } = { uri: "no link" }] = (result?.content ?? []) as readonly { readonly uri: string }[];
        expect(uri).toMatch(new RegExp(`test://linked/${what}$`));
        expect((await grace[generation].ask("resources/read", { uri })).error).toBeDefined();
        // Where requests share no memory the next instance may not know of it.
        if (us.keepsMemory === undefined) return;
        expect((await agent().ask("resources/read", { uri })).result?.contents).toMatchObject([{ uri }]);
      },
    );
  });

  test("46. a notification that is not MCP's goes on where the configuration names it, decided on and recorded", async () => {
    const { us, ada, records } = it();
    const tell = async (method: string) => {
      const response = await post(us, notification(method, { what: "this" }), ada.session.headers);
      expect(response.status).toBe(202);
    };
    const came = await arrived(async () => {
      for (const method of ["custom/exec", "tools/call", "notifications/other", "notifications/custom/denied"])
        await tell(method);
    });
    expect(came).toEqual([]);
    expect((await records("type=method.used&outcome=denied&limit=1"))[0]).toMatchObject({
      app: "bare",
      reason: "policy",
    });
    await tell("notifications/custom/told");
    await expect
      .poll(async () => (await records("type=method.used&limit=1"))[0])
      .toMatchObject({ outcome: "success", details: { method: "notifications/custom/told" } });
  });
}
