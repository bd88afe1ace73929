import { expect, test } from "vitest";
import type { McpProxyAppConfiguration } from "../../../lib/config/app-configuration.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { explainCall } from "../../../lib/gateway/explain/explain-call.ts";
import { createOrganizationTools } from "../../../lib/management/representations/tools.ts";
import { type ProxyingGateway, proxyApp, proxyingGateway } from "./proxying-gateway.ts";

const nobody = () => expect.fail("nobody is to be asked");

/** What is decided on a call of a tool of the app `ledger`, whose server is not asked. */
async function explained(tool: string, more: Partial<McpProxyAppConfiguration> = {}) {
  const apps = [proxyApp("ledger", more)];
  const mcpProvider = { serverName: "gateway", oauth: { enabled: false, metadataPath: "/", servers: [] } };
  const configuration = {
    publicURL: "https://gateway.example",
    apps,
    limits: [],
    mcpProvider,
  } as unknown as Configuration;
  const call = { tool, claims: {}, arguments: { amount: 5 } };
  const { steps, decision } = await explainCall(call, configuration, { fetch: nobody, clock: { now: () => 0 } });
  return { decision, why: Object.fromEntries(steps.map(({ step, why }) => [step, why])) };
}

test("a tool of an MCP server is explained by its name, and nobody is asked whether there is one", async () => {
  const { decision, why } = await explained("ledger_pay");
  expect(decision).toBe("allowed");
  expect(why.tool).toBe("the tool pay, if it has one, of the MCP server of the app ledger");
  expect(why.credential).toBe("calls carry none");
});

test("scopes, sign-in, policies and exchange are those of the server's own name", async () => {
  const { decision, why } = await explained("ledger_pay", {
    inboundTools: [{ name: "pay", scopes: ["ledger:write"] }],
    stepUp: [{ tools: ["pay"], acr: ["strong"] }],
    policies: [{ engine: "cel", name: "cel", expression: 'request.mcp.tool.params.name != "pay"' }],
  });
  expect(decision).toBe("denied");
  expect(why).toMatchObject({
    scopes: "the token lacks ledger:write",
    "sign-in": "acr is none of strong",
    lists: "hides the tool: a call is answered as that of no tool",
  });
});

test("a tool that the configuration excludes is none, nor is one of another namespace", async () => {
  expect((await explained("ledger_pay", { exclude: ["/p.*/"] })).why.tool).toMatch(/^there is no tool of this name/);
  expect((await explained("other_pay")).why.tool).toMatch(/^there is no tool of this name/);
});

test("the management API shows an organization its MCP servers, without what their URLs hold", async () => {
  const apps = [proxyApp("ledger", { url: "https://ledger.example/mcp?key=secret", include: ["pay"] })];
  const it: ProxyingGateway = await proxyingGateway({ servers: {}, apps });
  const tools = createOrganizationTools(it.dependencies);
  const first = (await it.dependencies.stores.directory.firstOrganization())?.organizationId ?? expect.fail();
  expect(await tools.list(first)).toEqual({
    items: [],
    leftOut: [],
    servers: [
      {
        ...{ app: "ledger", origin: "https://ledger.example", namespace: "ledger_", include: ["pay"], inbound: [] },
        ...{ policies: [], members: "required where there are several organizations", pinned: false },
        credential: { kind: "unprotected", schemes: [], headers: [] },
      },
    ],
  });
  expect((await tools.list("another")).servers).toEqual([]);
  expect(await tools.one(first, "ledger_pay")).toMatchObject({
    localName: "pay",
    server: { origin: "https://ledger.example", others: [] },
  });
  for (const [organization, name] of [
    ["another", "ledger_pay"],
    [first, "ledger_refund"],
    [first, "ledger_"],
  ] as const)
    await expect(tools.one(organization, name)).rejects.toMatchObject({ code: "not_found" });
  await it.close();
});
