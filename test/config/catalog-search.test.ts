import { describe, expect, test } from "vitest";
import { configurationOf, mistakes, OPENAPI, warningsOf } from "./support.ts";

const gateway = (catalog: string) =>
  `version: 1\nmcpProvider: {enabled: true, transports: {stream: {enabled: true, path: /mcp}}${catalog}}`;
const offered = async (catalog: string) => (await configurationOf(gateway(catalog))).mcpProvider?.catalog;

describe("mcpProvider.catalog", () => {
  test.each([
    ["", { search: "auto", threshold: 150 }],
    [", catalog: {threshold: 10}", { search: "auto", threshold: 10 }],
    [", catalog: {search: on}", { search: "on", threshold: 150 }],
    [", catalog: {search: off}", undefined],
  ])("of %j is in effect", async (catalog, expected) => {
    expect(await offered(catalog)).toEqual(expected);
    expect((await warningsOf(gateway(catalog))).filter((warning) => warning.includes("catalog"))).toEqual([]);
  });

  test.each(["search: sometimes", "threshold: 0", "threshold: many"])("refuses %s", async (catalog) => {
    expect(await mistakes(gateway(`, catalog: {${catalog}}`))).toHaveLength(1);
  });
});

describe("a tool that is called like one of those that search", () => {
  const openapi = OPENAPI.replace("getThing", "call_tool");
  const own = (namespace: string, catalog: string) =>
    `${gateway(catalog)}\napps: [{name: a, type: mcpBridge, ${namespace}openapi: {spec: {data: '${openapi}'}}}]`;
  const open = "toolNamespace: {disabled: true}, ";
  const refusal = [expect.stringContaining("apps[0]: the tool call_tool is called like one of the gateway's own")];

  test.each([
    [", catalog: {search: on}", refusal],
    [", catalog: {search: auto}", []],
    [", catalog: {search: off}", []],
    [', catalog: {search: "{{ env.SEARCH }}"}', []],
  ])("is refused where agents may be offered these: %j", async (catalog, expected) => {
    expect(await mistakes(own(open, catalog))).toEqual(expected);
    expect(await mistakes(own("", catalog))).toEqual([]);
  });

  test("is refused as well where an MCP server may have more", async () => {
    const server = ", {name: b, type: mcpProxy, upstream: {stream: {url: 'https://b.example/mcp'}}}]";
    expect(await mistakes(own(open, "").replace(/\]$/, server))).toEqual(refusal);
    expect(await mistakes(own(open, ", catalog: {search: off}").replace(/\]$/, server))).toEqual([]);
  });

  test("is refused as well where the tools are more than the threshold", async () => {
    const two = own(open, ", catalog: {threshold: 1}").replace(
      /\]$/,
      ", {name: b, type: mcpBridge, openapi: {spec: {uri: 'file://b'}}}]",
    );
    expect(await mistakes(two)).toEqual(refusal);
    expect(await mistakes(two.replace("threshold: 1", "threshold: 2"))).toEqual([]);
  });
});
