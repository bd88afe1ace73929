import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { McpProxyAppConfiguration } from "../../lib/config/app-configuration.ts";
import { VERSION } from "../../lib/kernel/version.ts";
import { assertionNow, sendAssertion, signerOf } from "../security/in-process-client.ts";
import { CONSOLE } from "../support/configuration.ts";
import { ISSUER, PROVIDER } from "../support/in-process.ts";
import { type Organization, type SignedInPerson, send, startOrganization } from "./people.ts";

const OTHER = "org_00000000-0000-4000-8000-000000000000";
const DOCUMENTATION = "https://docs.example/v1";
const REGIONS = [{ region: "uk", url: "https://uk.example" }];

let organization: Organization;
let member: SignedInPerson;
beforeAll(async () => {
  const apps = [app("ledger", "ledger:read"), { ...app("theirs", "theirs:read"), organization: OTHER }];
  const console = { ...CONSOLE, enabled: true, baseURL: ISSUER, regions: REGIONS, documentationURL: DOCUMENTATION };
  organization = await startOrganization({ configuration: { apps, console } });
  member = await organization.joined("member@example.com");
});
afterAll(() => organization.product.close());

function app(name: string, scope: string): McpProxyAppConfiguration {
  return {
    ...{ type: "mcpProxy", name, namespace: name, transport: "stream", url: "https://upstream.example/mcp" },
    ...{ timeout: 1_000, concurrency: 1, shareable: true, stepUp: [], outbound: { type: "unprotected" } },
    inboundTools: [{ name: ".*", scopes: [scope] }],
  };
}

describe("an organization", () => {
  const path = () => `/organizations/${organization.organizationId}`;

  test("is made by an owner of another, who owns it and chooses it by the header", async () => {
    const { owner, product } = organization;
    product.clock.set(product.clock.now() + 1);
    const warnings = () =>
      product.logs.filter((line) => line.includes("with a second organization, people must belong"));
    const made = await owner.call("POST", "/organizations", { name: "  Second  " });
    const { organizationId } = made.body;
    expect(made.body).toEqual({ organizationId, name: "Second", role: "owner", createdAt: expect.any(String) });
    expect([made.status, made.headers.get("ETag")]).toEqual([201, '"1"']);
    expect(made.headers.get("Location")).toBe(`/api/v1/organizations/${organizationId}`);
    const { items } = (await owner.call("GET", "/organizations")).body;
    expect(items.map(({ name, role }: { name: string; role: string }) => [name, role])).toEqual([
      ["Example", "owner"],
      ["Second", "owner"],
    ]);
    const there = { "Countersign-Organization": organizationId };
    const members = (await owner.call("GET", "/members", undefined, there)).body;
    expect(members.items).toMatchObject([{ userId: owner.userId, role: "owner" }]);
    expect((await owner.call("GET", "/me", undefined, there)).body).toMatchObject({ organizationId });
    const records = await product.dependencies.stores.auditLog.query({ organizationId }, { limit: 10 });
    expect(records.items).toMatchObject([{ type: "organization.created", actor: owner.userId }]);
    expect(warnings().map((line) => JSON.parse(line))).toMatchObject([{ apps: "ledger theirs" }]);
    await owner.call("POST", "/organizations", { name: "Another" });
    expect(warnings()).toHaveLength(1);
  });

  test("32. is not made by whoever owns none, and does not exist for whoever does not belong to it", async () => {
    expect((await member.call("POST", "/organizations", { name: "Own" })).status).toBe(403);
    const { organizationId } = (await organization.owner.call("POST", "/organizations", { name: "Third" })).body;
    for (const id of [organizationId, OTHER, "org_1", "%00"]) {
      expect((await member.call("GET", `/organizations/${id}`)).status).toBe(404);
      expect((await member.call("PATCH", `/organizations/${id}`, { name: "x" })).status).toBe(404);
    }
  });

  test("gets another name by an owner, unless somebody changed it meanwhile", async () => {
    const { owner } = organization;
    const { headers } = await member.call("GET", path());
    const ifMatch = { "If-Match": headers.get("ETag") as string };
    const renamed = await owner.call("PATCH", path(), { name: "Renamed" }, ifMatch);
    expect([renamed.status, renamed.body.name]).toEqual([200, "Renamed"]);
    expect(renamed.headers.get("ETag")).not.toBe(ifMatch["If-Match"]);
    const stale = await owner.call("PATCH", path(), { name: "Again" }, ifMatch);
    expect([stale.status, stale.body.type]).toEqual([412, "urn:countersign:problem:stale"]);
    expect((await member.call("PATCH", path(), { name: "Mine" })).status).toBe(403);
    expect((await member.call("GET", path())).body).toMatchObject({ name: "Renamed", role: "member" });
    expect((await member.call("GET", "/me")).body.organizations).toMatchObject([{ name: "Renamed" }]);
  });

  test.each([{}, { name: "" }, { name: " \t" }, { name: "x".repeat(201) }, { name: "a\u0000b" }, { name: 7 }])(
    "has no name like %j",
    async (body) => {
      const { owner } = organization;
      const answers = [await owner.call("PATCH", path(), body), await owner.call("POST", "/organizations", body)];
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: "/name" }] } });
      }
    },
  );

  test("35. keeps a name that reads from right to left as it was written", async () => {
    const name = "\u202Egnp.elpmaxe \u0645\u0624\u0633\u0633\u0629 <b>";
    expect((await organization.owner.call("PATCH", path(), { name })).body.name).toBe(name);
  });
});

describe("the instance", () => {
  test("tells members its addresses, and the permissions and scopes of their organization alone", async () => {
    const { body } = await member.call("GET", "/instance");
    expect(body).toEqual({
      version: VERSION,
      region: "us",
      issuer: ISSUER,
      tokenEndpoint: `${ISSUER}/oauth2/token`,
      managementAudience: `${ISSUER}/api/v1`,
      mcpURLs: [],
      resources: [],
      regions: REGIONS,
      documentationURL: DOCUMENTATION,
      isFirstOrganization: true,
      scopes: [
        ...[
          "audit:read",
          "deployments:publish",
          "sessions:read",
          "sessions:write",
          "stops:read",
          "stops:write",
          "tools:read",
        ].map((scope) => ({
          ...{ scope, kind: "management" },
          description: expect.stringMatching(/^[A-Z].{10,80}$/),
        })),
        { scope: "ledger:read", kind: "tool" },
      ],
    });
  });

  test("32. shows another organization neither the scopes of the first nor its standing", async () => {
    const { owner } = organization;
    const { organizationId } = (await owner.call("POST", "/organizations", { name: "Elsewhere" })).body;
    const there = { "Countersign-Organization": organizationId };
    const { body } = await owner.call("GET", "/instance", undefined, there);
    expect(body.isFirstOrganization).toBe(false);
    expect(JSON.stringify(body.scopes)).not.toMatch(/ledger|theirs/);
  });
});

test("32. an API client gets nothing of people, whatever it is permitted", async () => {
  const { product, organizationId, owner } = organization;
  const client = await product.createClient({ scopes: ["audit:read", "tools:read"] });
  const { body } = await sendAssertion(product, await assertionNow(product, await signerOf(client)));
  const headers = { Authorization: `Bearer ${(body as { access_token: string }).access_token}` };
  const requests: readonly (readonly [method: string, path: string, body?: unknown])[] = [
    ["GET", "/instance"],
    ["GET", "/organizations"],
    ["POST", "/organizations", { name: "x" }],
    ["GET", `/organizations/${organizationId}`],
    ["PATCH", `/organizations/${organizationId}`, { name: "x" }],
    ["GET", "/members"],
    ["PATCH", `/members/${owner.userId}`, { role: "member" }],
    ["DELETE", `/members/${owner.userId}`],
    ["GET", "/invitations"],
    ["POST", "/invitations", { email: "a@b.example", role: "owner" }],
    ["DELETE", "/invitations/inv_1"],
    ["GET", "/browser-sessions"],
    ["DELETE", `/browser-sessions/${"A".repeat(43)}`],
  ];
  for (const [method, path, sent] of requests) {
    const { status } = await send(product, method, path, sent, headers);
    expect([method, path, status]).toEqual([method, path, 403]);
  }
});

describe("the steps to the first tool call", () => {
  const mcpProvider = {
    ...{
      serverName: "Ledger",
      stream: { path: "/mcp", resource: `${ISSUER}/mcp` },
      allowedOrigins: [],
      allowedHosts: [],
    },
    oauth: { enabled: false, metadataPath: "/.well-known/oauth-protected-resource", servers: [] },
  };
  const console = { ...CONSOLE, enabled: true, baseURL: ISSUER };
  const apps = [app("ledger", "ledger:read")];
  const NONE = { passkey: false, app: false, apiClient: false, keyPair: false, token: false, toolCall: false };

  test.each([
    ["with an app of the first organization", { mcpProvider, apps, console }, { ...NONE, app: true }, NONE],
    ["without a gateway", { console }, { ...NONE, app: undefined, toolCall: undefined }, undefined],
    [
      "without passkeys",
      { mcpProvider, apps, console: { ...console, passkeys: false } },
      { ...NONE, passkey: undefined, app: true },
      undefined,
    ],
    [
      "without API clients",
      {
        mcpProvider,
        apps,
        console,
        oidcProvider: { ...PROVIDER, apiClients: { ...PROVIDER.apiClients, enabled: false } },
      },
      { passkey: false, app: true, toolCall: false },
      undefined,
    ],
  ])("%s, are those that there are, and each organization's own", async (_, configuration, first, second) => {
    const { owner, product } = await startOrganization({ configuration });
    onTestFinished(() => product.close());
    expect((await owner.call("GET", "/overview")).body.steps).toEqual(first);
    if (second === undefined) return;
    const { organizationId } = (await owner.call("POST", "/organizations", { name: "Second" })).body;
    const there = { "Countersign-Organization": organizationId };
    expect((await owner.call("GET", "/overview", undefined, there)).body.steps).toEqual(second);
  });
});
