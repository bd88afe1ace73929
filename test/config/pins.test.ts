import { describe, expect, test } from "vitest";
import { configurationOf, mistakes } from "./support.ts";

const DOCUMENT = `{"openapi":"3.1.0","info":{"title":"A","version":"1"},"paths":{"/a":{"get":{"operationId":"a"}}}}`;
const proxy = (pins: string) =>
  `version: 1\napps: [{name: a, type: mcpProxy, upstream: {stream: {url: "https://a.example/mcp"}}${pins}}]`;
const bridge = (pins: string) =>
  `version: 1\napps: [{name: a, type: mcpBridge, openapi: {baseURL: "https://a.example", spec: {data: '${DOCUMENT}'}}${pins}}]`;

describe("pins", () => {
  test("are absent where nothing is written, and have defaults", async () => {
    const pinsOf = async (text: string) => {
      const [app] = (await configurationOf(text)).apps;
      return app?.type === "mcpProxy" || app?.type === "mcpBridge" ? app.pins : expect.fail("no such app");
    };
    expect(await pinsOf(proxy(""))).toBeUndefined();
    expect(await pinsOf(proxy(", pins: {}"))).toEqual({ first: "trust", maxAge: 600_000 });
    const written = ", pins: {first: hold, later: hold, maxAge: 0s}";
    expect(await pinsOf(proxy(written))).toEqual({ first: "hold", maxAge: 0 });
    expect(await pinsOf(bridge(", pins: {first: hold}"))).toEqual({ first: "hold" });
  });

  test.each([
    ["another value of first", proxy(", pins: {first: warn}"), "apps[0].pins.first: "],
    ["another value of later", proxy(", pins: {later: trust}"), "apps[0].pins.later: "],
    ["no duration", proxy(", pins: {maxAge: 10}"), "apps[0].pins.maxAge: "],
    ["an age of a REST API's list", bridge(", pins: {maxAge: 10m}"), "apps[0].pins.maxAge: "],
  ])("refuse %s", async (_, text, place) => {
    const found = await mistakes(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(place);
  });
});
