import { expect, test } from "vitest";
import type { OutboundConfiguration } from "../../lib/config/app-configuration.ts";
import { createOrganizationTools } from "../../lib/management/representations/tools.ts";
import type { ToolList } from "../../lib/management/schemas/tools.ts";
import { proxyApp, proxyingGateway } from "../proxy/tools/proxying-gateway.ts";
import { startedGateway } from "./started.ts";

const EXCHANGE = {
  type: "tokenExchange",
  mode: "delegation",
  idp: "oidcProvider",
  audience: "https://ledger.example/",
  tools: [{ name: "/get.*/", ttl: 90_000, scopes: ["ledger:read"] }],
} satisfies OutboundConfiguration;

test("tools of a REST API say which token their calls carry and how long it lives, where one is exchanged", async () => {
  const otherApps = [{ name: "open", outbound: { type: "unprotected" } }] as const;
  const gateway = await startedGateway({
    servers: [],
    upstreamURL: "https://notes.example",
    outbound: EXCHANGE,
    otherApps,
  });
  const { items } = await toolsOfFirst(gateway.dependencies);
  const exchanges = Object.fromEntries(items.map(({ name, exchange }) => [name, exchange]));
  const { mode, audience } = EXCHANGE;
  expect(exchanges).toMatchObject({
    getNote: { mode, audience, scopes: ["ledger:read"], ttl: 90 },
    deleteNote: { mode, audience, scopes: [], ttl: 60 },
  });
  expect(items.find(({ name }) => name === "open_getNote")).not.toHaveProperty("exchange");
  await gateway.close();
});

test("MCP servers say by name what is wanted of agents and given to calls, as nobody asks them for their tools", async () => {
  const inboundTools = [{ name: "pay", scopes: ["ledger:write"] }];
  const apps = [proxyApp("ledger", { inboundTools, outbound: EXCHANGE })];
  const gateway = await proxyingGateway({ servers: {}, apps });
  const { mode, audience } = EXCHANGE;
  const tools = [{ name: "/get.*/", scopes: ["ledger:read"], ttl: 90 }];
  expect((await toolsOfFirst(gateway.dependencies)).servers).toEqual([
    {
      app: "ledger",
      origin: "https://ledger.example",
      namespace: "ledger_",
      inbound: inboundTools,
      policies: [],
      members: "required where there are several organizations",
      credential: { kind: "tokenExchange", issuer: "oidcProvider", schemes: [], headers: [] },
      pinned: false,
      exchange: { mode, audience, ttl: 60, tools },
    },
  ]);
  await gateway.close();
});

async function toolsOfFirst(dependencies: Parameters<typeof createOrganizationTools>[0]): Promise<ToolList> {
  const first = await dependencies.stores.directory.firstOrganization();
  return createOrganizationTools(dependencies).list(first?.organizationId ?? expect.fail("there is no organization"));
}
