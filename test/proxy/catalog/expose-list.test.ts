import { describe, expect, test } from "vitest";
import { declaredParamHeaders, exposeList } from "../../../lib/upstream/catalog/expose-list.ts";
import type { ListKind } from "../../../lib/upstream/catalog/kinds.ts";
import { isOffered } from "../../../lib/upstream/catalog/offered.ts";
import { readList } from "../../../lib/upstream/catalog/read-list.ts";
import { answering, tool } from "./upstream-lists.ts";

const ledger = { name: "ledger", namespace: "ledger_" };

async function exposedOf<K extends ListKind>(
  kind: K,
  app: Parameters<typeof exposeList>[1],
  entries: readonly unknown[],
) {
  return exposeList(kind, app, await readList(kind, answering({ [kind]: entries }).ask));
}

describe("a list as agents see it", () => {
  test("has the upstream's definitions, with the names of tools and pages exchanged", async () => {
    const page = { ui: { resourceUri: "ui://charts/x", visibility: ["app"] }, "ui/resourceUri": "ui://charts/x" };
    const definition = tool("post", { title: "Post", annotations: { readOnlyHint: true, other: 1 }, _meta: page });
    const { entries, byName } = await exposedOf("tools", ledger, [definition]);
    const wrapped = "ui://ledger+charts/x";
    expect(entries[0]).toEqual({
      upstreamName: "post",
      localName: "post",
      name: "ledger_post",
      title: "Post",
      annotations: { readOnlyHint: true },
      definition: {
        ...definition,
        name: "ledger_post",
        _meta: { ui: { resourceUri: wrapped, visibility: ["app"] }, "ui/resourceUri": wrapped },
      },
    });
    expect(byName.get("ledger_post")).toBe(entries[0]);
  });

  test("has resources and templates by their wrapped URIs, and prompts by their names in the namespace", async () => {
    const resources = await exposedOf("resources", ledger, [{ uri: "file:///a", name: "a" }]);
    expect(resources.entries[0]?.definition).toEqual({ uri: "ledger+file:///a", name: "a" });
    const templates = await exposedOf("resourceTemplates", ledger, [{ uriTemplate: "note://{id}", name: "n" }]);
    expect(templates.entries[0]?.definition).toEqual({ uriTemplate: "ledger+note://{id}", name: "n" });
    const prompts = await exposedOf("prompts", ledger, [{ name: "odd name" }]);
    expect(prompts.entries[0]?.name).toMatch(/^ledger_odd_name_[0-9a-f]{8}$/);
    expect(prompts.byName.get(prompts.entries[0]?.name ?? "")?.upstreamName).toBe("odd name");
  });

  test("is the upstream's own without a namespace", async () => {
    const definition = tool("a/b", { _meta: { ui: { resourceUri: "ui://x" } } });
    const { entries } = await exposedOf("tools", { name: "ledger", namespace: "" }, [definition]);
    expect(entries[0]?.definition).toEqual(definition);
  });

  test("37. no two entries look the same to agents: the first stays, the other is counted", async () => {
    // Too long and odd, and with the namespace their hashes begin with the same eight digits.
    const [one, other] = [`${"a".repeat(60)}.16620`, `${"a".repeat(60)}.25212`];
    const { entries, malformed } = await exposedOf("tools", { name: "x", namespace: "x" }, [tool(one), tool(other)]);
    expect(entries.map(({ upstreamName }) => upstreamName)).toEqual([one]);
    expect(malformed).toEqual([{ reason: "a name twice", count: 1, example: JSON.stringify(other) }]);
  });

  test("has of the tools those that the configuration offers, by the upstream's names", async () => {
    const app = { ...ledger, include: ["/read_.*/", "post"], exclude: ["read_secret"] };
    const names = ["post", "repost", "read_a", "read_secret"];
    const { entries } = await exposedOf(
      "tools",
      app,
      names.map((name) => tool(name)),
    );
    expect(entries.map(({ localName }) => localName)).toEqual(["post", "read_a"]);
    expect(names.filter((name) => isOffered(app, name))).toEqual(["post", "read_a"]);
    expect((await exposedOf("prompts", app, [{ name: "repost" }])).entries).toHaveLength(1);
  });
});

describe("arguments that requests repeat in headers", () => {
  test("are those that are declared as the specification has it", async () => {
    const property = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header });
    const properties = {
      region: property("Region"),
      count: property("Count", "integer"),
      share: property("Share", "number"),
      inner: { type: "object", properties: { flag: property("Flag", "boolean") } },
      broken: property("a\r\nb"),
      empty: property(""),
      typed: property("Typed", ["string", "null"]),
      list: { type: "array", items: property("Item") },
      one: property("Same"),
      two: property("same"),
    };
    const inputSchema = { type: "object", properties };
    expect(declaredParamHeaders(inputSchema)).toEqual([
      { name: "Mcp-Param-Region", path: ["region"] },
      { name: "Mcp-Param-Count", path: ["count"] },
      { name: "Mcp-Param-Share", path: ["share"] },
      { name: "Mcp-Param-Flag", path: ["inner", "flag"] },
    ]);
    const { entries } = await exposedOf("tools", ledger, [tool("a", { inputSchema }), tool("b")]);
    expect(entries[0]?.paramHeaders).toHaveLength(4);
    expect(entries[1]).not.toHaveProperty("paramHeaders");
  });
});
