import { beforeEach, describe, expect, test } from "vitest";
import type { McpBridgeAppConfiguration } from "../../../lib/config/app-configuration.ts";
import { MAX_LISTED_LENGTH } from "../../../lib/gateway/search/search.ts";
import { compile } from "../../bridge/compiled.ts";
import { RESOURCE } from "../started.ts";
import { withGateway } from "../with-gateway.ts";
import { searching } from "./searching.ts";

const AUTO = { search: "auto", threshold: 1_000 } as const;
const META = ["search_tools", "describe_tools", "call_tool"];

const it = withGateway({ catalog: AUTO });
let token: string;
beforeEach(async () => {
  token = await it.server.token(RESOURCE, "jwt");
});
const agent = searching(
  () => it.gateway,
  () => token,
);

/** An app with tools of these lengths, called `long0` and so on. */
async function longApp(lengths: readonly number[], more: Partial<McpBridgeAppConfiguration> = {}) {
  const operations = lengths.map((length, at) => {
    const parameters = [{ name: "a", in: "query", schema: { type: "string", default: "d".repeat(length) } }];
    return [`/long${at}`, { get: { operationId: `long${at}`, parameters } }];
  });
  const app: McpBridgeAppConfiguration = {
    type: "mcpBridge",
    name: "long",
    catalog: await compile({ paths: Object.fromEntries(operations) }),
    baseURL: "http://127.0.0.1:9",
    timeout: 1_000,
    inboundTools: [],
    stepUp: [],
    outbound: { type: "unprotected" },
    ...more,
  };
  return [app];
}

describe("few tools", () => {
  test("that are too long for a list together are offered by search, and listed again when they are shorter", async () => {
    await it.restart({ apps: await longApp([MAX_LISTED_LENGTH / 2, MAX_LISTED_LENGTH / 2]) });
    expect(await agent.names()).toEqual(META);
    expect(await agent.found("long0")).toContain("long0");
    await it.restart({ apps: await longApp([MAX_LISTED_LENGTH / 2]) });
    expect(await agent.names()).toEqual(expect.arrayContaining(["getNote", "long0"]));
  });

  test("are all listed where the configuration says so", async () => {
    await it.restart({ catalog: undefined, apps: await longApp([MAX_LISTED_LENGTH]) });
    expect(await agent.names()).toContain("long0");
  });

  test("27. that a policy hides do not count, however long", async () => {
    const expression = 'request.mcp.tool.params.name != "long0"';
    const apps = await longApp([MAX_LISTED_LENGTH, 10], { policies: [{ engine: "cel", name: "cel", expression }] });
    await it.restart({ apps });
    const names = await agent.names();
    expect(names).toContain("long1");
    expect(names).not.toContain("long0");
  });

  test("of which an app's own is called like one of the three are listed", async () => {
    const [app] = await longApp([MAX_LISTED_LENGTH]);
    const own = await compile({ paths: { "/own": { get: { operationId: "call_tool" } } } });
    const apps = [
      app as McpBridgeAppConfiguration,
      { ...(app as McpBridgeAppConfiguration), name: "own", catalog: own },
    ];
    await it.restart({ apps });
    expect(await agent.names()).toEqual(expect.arrayContaining(["long0", "call_tool"]));
  });
});

describe("a call by a name that there is not", () => {
  const message = async (name: string) => {
    const { error } = await agent.send("tools/call", { name, arguments: {} });
    expect(error?.code).toBe(-32602);
    return error?.message;
  };

  test("is an error that has the names near to it", async () => {
    expect(await message("notes_getNotes")).toMatch(/^There is no tool of this name\. Near to it: .*\bgetNote\b.*\.$/);
    expect(await message("zebra")).toBe("There is no tool of this name.");
  });

  test("27. has none of hidden tools, and a hidden name is one of them", async () => {
    const expression = '!(request.mcp.tool.params.name in ["getNote", "deleteNote"])';
    await it.restart({ policies: [{ engine: "cel", name: "cel", expression }] });
    for (const name of ["notes_getNotes", "getNote", "deleteNote"]) {
      expect(await message(name)).toMatch(/^There is no tool of this name\./);
      expect(await message(name)).not.toMatch(/\b(getNote|deleteNote)\b/);
    }
  });
});
