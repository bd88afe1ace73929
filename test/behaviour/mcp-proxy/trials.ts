import { expect, test } from "vitest";
import type { Me } from "../../../lib/management/schemas/profile.ts";
import type { ToolDetails, Trial } from "../../../lib/management/schemas/tools.ts";
import { createClient, expectJson, manage } from "../fixture.ts";
import { bearer, mcpURL } from "../gateway-fixture.ts";
import { type Generation, openAgent } from "./agent.ts";
import type { ProxyUnderTest } from "./fixture.ts";

const GENERATIONS = ["session", "stateless"] as const;

/** Tokens that people of the Console try tools with, of both kinds of apps. */
export function trials(it: () => ProxyUnderTest): void {
  const newClient = (scopes: readonly string[] = ["servers:write"]) =>
    createClient(it().owner, { scopes, resources: [mcpURL(it().us)] });
  const ask = (path: string, body: object) => manage(it().owner, "POST", path, body);
  const begun = async (path: string, clientId: string) => expectJson<Trial>(await ask(path, { clientId }), 201);
  const agentOf = ({ accessToken }: Trial, generation: Generation) =>
    openAgent(it().us, bearer(accessToken), generation);
  const ownerId = async () => (await expectJson<Me>(await manage(it().owner, "GET", "/me"), 200)).userId;

  const TRIED = [
    { of: "a REST API", tool: "upstream_getNote", given: { noteId: "1" }, said: /./ },
    { of: "an MCP server", tool: "held_whoami", given: {}, said: /"sub"/ },
  ];

  test.each(TRIED)("32. an owner tries a tool of $of as an API client, and records say so", async (tried) => {
    const [clientId, userId] = [await newClient(), await ownerId()];
    const trial = await begun(`/tools/${tried.tool}/trials`, clientId);
    expect(trial).toMatchObject({ url: mcpURL(it().us), claims: { client_id: clientId, aud: mcpURL(it().us) } });
    for (const generation of GENERATIONS) {
      const agent = await agentOf(trial, generation);
      expect(await agent.said(tried.tool, tried.given)).toMatch(tried.said);
    }
    const whose = { actor: userId, agent: clientId, tool: tried.tool, details: { trial: userId } };
    const records = await it().records(`type=tool.invoked&agent=${clientId}`);
    expect(records).toMatchObject([whose, whose]);
    expect(await it().records(`type=token.issued&agent=${clientId}`)).toMatchObject([whose]);
  });

  test("32. a call that lacks a scope is refused on trial as it is for agents", async () => {
    const trial = await begun("/tools/held_write/trials", await newClient([]));
    const agent = await agentOf(trial, "stateless");
    const answer = await agent.send("tools/call", { name: "held_write", arguments: {} });
    await answer.text();
    expect([answer.status, answer.headers.get("WWW-Authenticate")]).toEqual([
      403,
      expect.stringContaining('scope="servers:write"'),
    ]);
  });

  test("32. a trial lists what the caller sees, and tells which servers did not list their tools in time", async () => {
    const clientId = await newClient();
    const speak = it().servers.silence();
    try {
      const trial = await begun("/trials", clientId);
      for (const generation of GENERATIONS) {
        const agent = await agentOf(trial, generation);
        const { result } = await agent.ask("tools/list");
        const names = ((result?.tools ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
        expect(names).toEqual(expect.arrayContaining(["upstream_getNote", "held_whoami", "plain_whoami"]));
        expect(names).not.toContain("held_hidden");
        expect(result?._meta).toMatchObject({
          "countersign/unlisted": [expect.stringMatching(/^The tools of lame are not known/)],
        });
      }
      const { result } = await it().ada.stateless.ask("tools/list");
      expect(result?._meta ?? {}).not.toHaveProperty("countersign/unlisted");
    } finally {
      speak();
    }
    expect(await it().records(`type=token.issued&agent=${clientId}`)).toMatchObject([{ actor: await ownerId() }]);
  });

  test("what the configuration says of an MCP server's tool is told without asking the server", async () => {
    const before = it().servers.seen.length;
    const read = async (name: string, status: number) =>
      expectJson<ToolDetails>(await manage(it().owner, "GET", `/tools/${name}`), status);
    expect(await read("held_write", 200)).toMatchObject({
      ...{ name: "held_write", localName: "write", app: "held", scopes: ["servers:write"], annotations: {} },
      policies: [
        { name: "rules[0].cel", engine: "cel" },
        { name: "rules[1].cel", engine: "cel" },
        { name: "rules[2].cel", engine: "cel" },
      ],
      credential: { kind: "tokenExchange", issuer: "oidcProvider", headers: ["x-agent", "x-request"] },
      server: { origin: it().servers.url, others: [] },
    });
    expect(await read("held_unruled", 200)).toMatchObject({ denied: true, scopes: [] });
    expect(await read("danger", 200)).toMatchObject({ app: "bare", localName: "danger", scopes: ["servers:danger"] });
    await read("held_excluded", 404);
    // `lame` may still get what the test before has left to it.
    const asked = it()
      .servers.seen.slice(before)
      .filter(({ server }) => server !== "lame");
    expect(asked).toEqual([]);
  });

  test("32. nobody tries what no app may have, nor as themselves without an account of their own", async () => {
    const clientId = await newClient();
    expect((await ask("/tools/held_excluded/trials", { clientId })).status).toBe(404);
    expect((await ask("/trials", { clientId: "nobody" })).status).toBe(404);
    for (const path of ["/trials", "/tools/held_whoami/trials", "/tools/upstream_getNote/trials"])
      expect([path, (await ask(path, {})).status]).toEqual([path, 409]);
  });
}
