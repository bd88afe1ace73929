import { expect, test } from "vitest";
import { mistakes } from "../config/support.ts";

const limits = (...entries: readonly string[]) =>
  `version: 1\nlimits: [${entries.map((one) => `{${one}}`).join(", ")}]`;

test.each<[what: string, yaml: string, at: string, message: string]>([
  [
    "tools with requests of the management API",
    limits("name: a, for: {endpoint: management}, per: tool, rate: 1/s"),
    "limits[0].per",
    "found tool with another endpoint than mcp",
  ],
  [
    "apps with token requests",
    limits("name: a, for: {endpoint: token}, per: app, rate: 1/s"),
    "limits[0].per",
    "found app with another endpoint than mcp",
  ],
  [
    "apps beside others with two endpoints",
    limits("name: a, for: {endpoint: [mcp, token]}, per: [address, app], rate: 1/s"),
    "limits[0].per",
    "found app with another endpoint than mcp",
  ],
  [
    "tools with requests for web apps",
    limits("name: a, for: {endpoint: web, tool: getNote}, rate: 1/s"),
    "limits[0].for.tool",
    "found tool beside another endpoint than mcp",
  ],
  [
    "requests for web apps at the same time",
    limits("name: a, for: {endpoint: [mcp, web]}, concurrent: 5"),
    "limits[0].concurrent",
    "found concurrent with another endpoint than mcp",
  ],
  [
    "bytes of token requests",
    limits("name: a, for: {endpoint: [web, token]}, per: address, bytes: 1MB/m"),
    "limits[0].bytes",
    "found bytes with another endpoint than mcp and web",
  ],
  [
    "the name of another's quota",
    limits("name: a, quota: 5/day", "name: a.day, rate: 1/s"),
    "limits[1].name",
    "found the name that a count of limits[0] has",
  ],
  [
    "the name of a month's quota",
    limits("name: a.month, rate: 1/s", "name: a, quota: 5/month"),
    "limits[0].name",
    "found the name that a count of limits[1] has",
  ],
  [
    "the name of another's bytes",
    limits("name: a, bytes: 1MB/m", "name: a.bytes, rate: 1/s"),
    "limits[1].name",
    "found the name that a count of limits[0] has",
  ],
  ["a rate that is too fine to count", limits("name: a, rate: 100001/s"), "limits[0].rate", "at most 100000/s"],
  [
    "a rate an hour that is too fine to count",
    limits("name: a, rate: 1000000000/h"),
    "limits[0].rate",
    "at most 100000/s",
  ],
])("51. a limit is refused that has %s", async (_, yaml, at, message) => {
  const found = await mistakes(yaml);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(`${at}: `);
  expect(found[0]).toContain(message);
});

test.each([
  ["other names with a dot", limits("name: a, rate: 1/s", "name: a.day, rate: 1/s", "name: a.bytes, quota: 1/day")],
  [
    "web apps, and the bytes that they are sent",
    limits(
      "name: a, for: {endpoint: [mcp, web]}, per: [app, person], bytes: 1MB/m",
      "name: b, for: {endpoint: web}, rate: 1/s",
    ),
  ],
  ["bytes that come fast", limits("name: a, bytes: 100GB/h, rate: 100000/s")],
])("51. a limit may have %s", async (_, yaml) => {
  expect(await mistakes(yaml)).toEqual([]);
});
