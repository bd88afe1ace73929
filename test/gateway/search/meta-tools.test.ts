import { beforeEach, describe, expect, test } from "vitest";
import { META_TOOLS } from "../../../lib/gateway/search/meta-tools.ts";
import { rpc, textOf } from "../../behaviour/gateway-fixture.ts";
import { RESOURCE } from "../started.ts";
import { withGateway } from "../with-gateway.ts";
import { ALWAYS, searching } from "./searching.ts";

const it = withGateway({ catalog: ALWAYS });
let token: string;
beforeEach(async () => {
  token = await it.server.token(RESOURCE, "jwt");
});
const agent = searching(
  () => it.gateway,
  () => token,
);
const META = ["search_tools", "describe_tools", "call_tool"];

async function records() {
  const { stores } = it.gateway.dependencies;
  const organization = await stores.directory.firstOrganization();
  const filter = { organizationId: organization?.organizationId ?? "", type: "tool.invoked" };
  return (await stores.auditLog.query(filter, { limit: 10 })).items;
}

describe("a list of tools", () => {
  test("is three to search with where the configuration says so, and they cost little", async () => {
    expect(await agent.names()).toEqual(META);
    expect(JSON.stringify(META_TOOLS).length / 4).toBeLessThanOrEqual(1_200);
  });

  test("is of all tools up to the threshold, and of three above it", async () => {
    await it.restart({ catalog: { search: "auto", threshold: 1_000 } });
    const all = await agent.names();
    expect(all).toContain("getNote");
    await it.restart({ catalog: { search: "auto", threshold: all.length } });
    expect(await agent.names()).toEqual(all);
    await it.restart({ catalog: { search: "auto", threshold: all.length - 1 } });
    expect(await agent.names()).toEqual(META);
  });

  test("counts the tools that the caller may see, and no others", async () => {
    const only = 'request.mcp.tool.params.name in ["getNote", "createNote"]';
    const policies = [{ engine: "cel", name: "cel", expression: only }] as const;
    await it.restart({ catalog: { search: "auto", threshold: 2 }, policies });
    expect(await agent.names()).toEqual(["createNote", "getNote"]);
    await it.restart({ catalog: { search: "auto", threshold: 1 }, policies });
    expect(await agent.names()).toEqual(META);
  });

  test("without search has none of the three, which are unknown", async () => {
    await it.restart({ catalog: undefined });
    expect(await agent.names()).toContain("getNote");
    const { error } = await agent.send("tools/call", { name: "search_tools", arguments: { query: "note" } });
    expect(error).toEqual({ code: -32602, message: "There is no tool of this name." });
  });
});

describe("search_tools", () => {
  test("finds tools by what they do, the best first, with what they need", async () => {
    const { result } = await agent.send("tools/call", { name: "search_tools", arguments: { query: "delete a note" } });
    const first = { name: "deleteNote", summary: "Throw a note away", required: ["noteId"] };
    expect(result?.structuredContent).toMatchObject({ tools: expect.arrayContaining([first]) });
    const [line] = textOf({ result }).split("\n");
    expect(line).toBe("deleteNote(noteId): Throw a note away");
  });

  test("finds no more than asked for, and says so when there is nothing", async () => {
    expect((await agent.text("search_tools", { query: "note", limit: 2 })).split("\n")).toHaveLength(2);
    expect(await agent.text("search_tools", { query: "zebra" })).toContain("No tool has these words");
    expect(await agent.text("search_tools", { query: "the of !?" })).toContain("No tool has these words");
  });

  test.each([
    [undefined, "query"],
    [{}, "query"],
    [{ query: "" }, "query"],
    [{ query: "x".repeat(501) }, "query"],
    [{ query: "note", limit: 0 }, "limit"],
    [{ query: "note", limit: 51 }, "limit"],
    [{ query: "note", page: 2 }, "page"],
    ["note", "type"],
  ])("refuses the arguments %j by a result that names what is wrong", async (given, named) => {
    const answer = await agent.send("tools/call", { name: "search_tools", arguments: given });
    expect(answer.result?.isError).toBe(true);
    expect(textOf(answer)).toMatch(/^Invalid arguments: /);
    expect(textOf(answer)).toContain(named);
  });

  test("leaves no record: nothing is called", async () => {
    await agent.found("note");
    await agent.text("describe_tools", { names: ["getNote"] });
    expect(await records()).toEqual([]);
  });
});

describe("describe_tools", () => {
  test("gives definitions that calls can be made by", async () => {
    const [first, second] = (await agent.text("describe_tools", { names: ["getNote", "listNotes", "getNote"] })).split(
      "\n\n",
    );
    const definition = JSON.parse(first ?? "");
    expect(definition).toMatchObject({ name: "getNote", inputSchema: { type: "object", required: ["noteId"] } });
    expect(definition).not.toHaveProperty("outputSchema");
    expect(JSON.parse(second ?? "").name).toBe("listNotes");
  });

  test("tells names that it does not know with those near to them", async () => {
    const text = await agent.text("describe_tools", { names: ["getNote", "notes_remove_note", "zebra"] });
    expect(text).toContain('"name":"getNote"');
    expect(text).toContain('There is no tool "notes_remove_note". Near to it: deleteNote');
    expect(text).toContain('There is no tool "zebra". search_tools finds names.');
    const answer = await agent.send("tools/call", { name: "describe_tools", arguments: { names: ["zebra"] } });
    expect(answer.result?.isError).toBe(true);
  });

  test.each([[{}], [{ names: [] }], [{ names: Array(21).fill("getNote") }], [{ names: [1] }], [{ names: "getNote" }]])(
    "refuses the arguments %j",
    async (given) => {
      const answer = await agent.send("tools/call", { name: "describe_tools", arguments: given });
      expect(answer.result?.isError).toBe(true);
      expect(textOf(answer)).toContain("names");
    },
  );
});

describe("call_tool", () => {
  test("calls the tool as if it was called by its name, and the record is the tool's", async () => {
    const wrapped = await rpc(await agent.wrapped("getNote", { noteId: "1" }));
    const direct = await rpc(await it.gateway.call("getNote", { noteId: "1" }, token));
    expect(wrapped).toEqual(direct);
    expect(wrapped.result?.structuredContent).toBeDefined();
    const [one, other] = await records();
    expect(one).toMatchObject({ outcome: "success", app: "notes", tool: "getNote" });
    const { argumentsDigest } = one as { readonly argumentsDigest?: string };
    expect(argumentsDigest).toBe((other as { readonly argumentsDigest?: string }).argumentsDigest);
  });

  test("is refused below the protocol where the tool is: the challenge is the tool's", async () => {
    const challenge = (response: Response) => [response.status, response.headers.get("www-authenticate")];
    token = await it.server.sign({ aud: RESOURCE, scope: "other" });
    const direct = challenge(await it.gateway.call("getNote", { noteId: "1" }, token));
    expect(direct[0]).toBe(403);
    expect(challenge(await agent.wrapped("getNote", { noteId: "1" }))).toEqual(direct);
    await it.restart({ stepUp: [{ tools: ["getNote"], acr: ["strong"], maxAge: 1_000 }] });
    token = await it.server.token(RESOURCE, "jwt");
    const response = await agent.wrapped("getNote", { noteId: "1" });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain('acr_values="strong"');
  });

  test("shows policies the tool and its arguments", async () => {
    const expression = 'request.mcp.tool.params.name == "getNote" && request.mcp.tool.params.arguments.noteId == "1"';
    await it.restart({ policies: [{ engine: "cel", name: "cel", expression }] });
    expect((await rpc(await agent.wrapped("getNote", { noteId: "1" }))).result?.isError).toBeUndefined();
    const denied = await rpc(await agent.wrapped("getNote", { noteId: "2" }));
    expect(denied.result?.isError).toBe(true);
    expect(textOf(denied)).toBe("A policy does not allow this call.");
    expect(await records()).toContainEqual(
      expect.objectContaining({ outcome: "denied", reason: "policy", tool: "getNote" }),
    );
  });

  test("checks arguments by the tool's schema", async () => {
    for (const given of [{}, { noteId: "1", other: 1 }, "1"]) {
      const answer = await rpc(await agent.wrapped("getNote", given));
      expect(answer.result?.isError).toBe(true);
      expect(textOf(answer)).toContain("Invalid arguments");
    }
  });

  test("of an unknown tool names those that are near", async () => {
    const answer = await rpc(await agent.wrapped("notes_getNotes", { noteId: "1" }));
    expect(answer.result?.isError).toBe(true);
    expect(textOf(answer)).toMatch(/^There is no tool "notes_getNotes"\. Near to it: .*getNote/);
  });

  test.each([
    [undefined, "name"],
    [{}, "name"],
    [{ name: 1 }, "name"],
    [{ name: "search_tools" }, "search_tools is called directly"],
    [{ name: "call_tool", arguments: { name: "getNote" } }, "call_tool is called directly"],
  ])("without a tool's name says what is wrong: %j", async (given, named) => {
    const answer = await agent.send("tools/call", { name: "call_tool", arguments: given });
    expect(answer.result?.isError).toBe(true);
    expect(textOf(answer)).toContain(named);
  });

  test.each([
    [{ name: "getNote", noteId: "1" }, 'put noteId below "arguments"'],
    [{ name: "getNote", noteId: "1", arguments: {}, a: 1 }, 'put noteId and a below "arguments"'],
    [{ noteId: "1" }, /put noteId below "arguments"; does not have required property "name"/],
    [{ name: "getNote", ...Object.fromEntries(Array.from("abcdefghijklm", (name) => [name, 1])) }, "i, j and 3 more"],
  ])(
    "with arguments beside `arguments` says where they belong, before anything is decided: %j",
    async (given, told) => {
      const before = it.upstream.requests.length;
      const answer = await agent.send("tools/call", { name: "call_tool", arguments: given });
      expect(answer.result?.isError).toBe(true);
      expect(textOf(answer)).toMatch(told);
      expect(it.upstream.requests).toHaveLength(before);
      expect(await records()).toEqual([]);
    },
  );

  test("does not hold the answer against a schema that the agent was never shown", async () => {
    const direct = await rpc(await it.gateway.call("shape", {}, token));
    expect(direct.result?.isError).toBe(true);
    expect((await rpc(await agent.wrapped("shape", {}))).result?.isError).toBeUndefined();
  });
});

test("a tool that is not listed because of the search can be called by its name", async () => {
  expect((await rpc(await it.gateway.call("getNote", { noteId: "1" }, token))).result?.isError).toBeUndefined();
});
