import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { withOverridesOf } from "../../lib/config/overrides/overrides.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { personId } from "../../lib/stores/identities.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import { connection, connectionEvent } from "../contract/connection-records.ts";
import { credentialEvent } from "../contract/credential-records.ts";
import { createWorkplace, type Workplace } from "./countersign.ts";

let at: Workplace;
const claims = (more: Readonly<Record<string, unknown>> = {}) => {
  const file = join(at.folder, "claims.json");
  const said = {
    iss: at.url,
    aud: `${at.url}/mcp`,
    sub: "a-person",
    client_id: "an-agent",
    scope: "tags:read",
    ...more,
  };
  writeFileSync(file, JSON.stringify(said));
  return file;
};
const OPENAPI = {
  openapi: "3.1.0",
  info: { title: "Tags", version: "1" },
  paths: { "/tags": { get: { operationId: "listTags", responses: { 200: { description: "Tags." } } } } },
};

beforeAll(async () => {
  at = await createWorkplace();
  const document = readFileSync(at.config, "utf8");
  const server = `${at.url}/.well-known/openid-configuration`;
  const inbound = { cel: 'agent.clientID == "an-agent"', tools: [{ name: "listTags", scopes: ["tags:read"] }] };
  const spec = { data: JSON.stringify(OPENAPI) };
  const app = {
    type: "mcpBridge",
    name: "tags",
    mode: "openapi",
    openapi: { baseURL: "https://tags.example", spec },
    authorization: { inbound },
  };
  const tokenValidation = { method: "jwt", expectedAudiences: [`${at.url}/mcp`] };
  const metadataPath = "/.well-known/oauth-protected-resource";
  const oauth = { enabled: true, metadataPath, servers: [{ wellKnownEndpoint: server, tokenValidation }] };
  const transports = { stream: { enabled: true, path: "/mcp" } };
  const mcpProvider = { enabled: true, transports, authorization: { oauth } };
  const web = {
    type: "proxy",
    name: "payroll",
    routePatterns: ["/payroll"],
    upstream: "http://127.0.0.1:9",
    headers: [
      { name: "X-User", value: "{{ corp.email }}" },
      { name: "X-Groups", value: "{{ corp.groups }}" },
    ],
    policies: [
      { location: "/", authentication: { idps: ["corp"] }, authorization: { allowAll: true } },
      {
        location: "/payroll/reports",
        authentication: { idps: ["corp"] },
        authorization: { rules: [{ equals: ["{{ corp.department }}", "finance"] }] },
      },
    ],
  };
  const board = {
    ...{ ...web, name: "board", routePatterns: ["/board"], headers: [], policies: web.policies.slice(0, 1) },
    authorization: { outbound: { type: "userToken", userToken: { connector: "provider", scopes: ["mail:read"] } } },
  };
  const corp = {
    name: "corp",
    type: "oidc",
    oidcWellKnownURL: "https://corp.example/.well-known/openid-configuration",
    oauthClientID: "c",
    oauthClientSecret: "secret of corp",
  };
  const provider = {
    name: "provider",
    type: "oauth",
    oauthClientID: "c",
    authorizationURL: "https://provider.example/authorize",
    tokenURL: "https://provider.example/token",
  };
  const outbound = { type: "userToken", userToken: { connector: "provider", scopes: ["mail:read"] } };
  writeFileSync(
    at.config,
    `${document.trimEnd()}\n  - ${JSON.stringify(app)}\n  - ${JSON.stringify(web)}\n  - ${JSON.stringify(board)}\n  - ${JSON.stringify({ ...app, name: "mail", authorization: { inbound: {}, outbound } })}\nconnectors: ${JSON.stringify([corp, provider])}\nvault: {keys: [${"A".repeat(43)}]}\nmcpProvider: ${JSON.stringify(mcpProvider)}\n`,
  );
});
afterAll(() => at.remove());

test("explain says why a call would be made, and exits with 0", async () => {
  const { code, stdout, stderr } = await at.countersign("explain", "-tool", "tags_listTags", "-claims", claims());
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(
    [
      "token       allowed  agent an-agent for a-person",
      "tool        allowed  GET /tags of the app tags, if the person belongs to the instance's first organization",
      "scopes      allowed  the token has tags:read",
      "sign-in     allowed  any will do",
      "policy      allowed  cel: allows the call",
      "lists       allowed  cel: shows the tool",
      "credential  allowed  calls carry none",
      "tags_listTags: allowed",
      "",
    ].join("\n"),
  );
});

test("explain says why not, as JSON, and exits with 4", async () => {
  const file = claims({ scope: "" });
  const { code, stdout } = await at.countersign("explain", "-tool", "tags_listTags", "-claims", file, "-json");
  expect(code).toBe(4);
  const { decision, steps } = JSON.parse(stdout) as { decision: string; steps: { step: string; decision: string }[] };
  expect(decision).toBe("denied");
  expect(steps.filter((step) => step.decision === "denied").map(({ step }) => step)).toEqual(["scopes"]);
});

test("explain says what would become of a request for a web app", async () => {
  const file = claims({ iss: undefined, email: "a-person@corp.example", department: "finance" });
  const asked = ["-app", "payroll", "-path", "/payroll//reports/1?year=2026", "-claims", file];
  const { code, stdout, stderr } = await at.here("explain", ...asked);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.replace(/user_[\w-]+/, "user_…").split("\n")).toEqual([
    "path      allowed  read as /payroll/reports/1",
    `route     allowed  ${new URL(at.url).host}/payroll, unless the path is one of this instance's own`,
    "location  allowed  /payroll/reports, before /",
    "sign-in   allowed  a-person at corp, here user_…",
    "app       allowed  payroll, if the person belongs to the instance's first organization",
    "scopes    allowed  none is needed",
    "policy    allowed  policies[1].rules: allows the request",
    "header    allowed  x-user: made of corp.email",
    "header    allowed  x-groups: left out: corp.groups is missing, or no text",
    "GET /payroll//reports/1?year=2026: allowed",
    "",
  ]);
  const json = await at.here("explain", ...asked, "-method", "POST", "-json");
  expect(JSON.parse(json.stdout)).toMatchObject({
    ...{ app: "payroll", method: "POST", host: new URL(at.url).host, path: "/payroll/reports/1", decision: "allowed" },
    headers: [{ name: "x-user", from: ["corp.email"], value: "a-person@corp.example" }],
  });
  const stranger = await at.here("explain", "-app", "payroll", "-path", "/payroll/reports/1");
  expect([stranger.code, stranger.stdout]).toEqual([4, expect.stringContaining("people sign in at corp")]);
});

test.each([
  [["-claims", "claims.json"], "One of -tool and -app is required"],
  [["-tool", "tags_listTags", "-app", "payroll"], "One of -tool and -app is required"],
  [["-app", "payroll", "-path", "/", "-arguments", "a.json"], "-arguments goes with -tool alone"],
  [["-tool", "tags_listTags", "-path", "/"], "-path goes with -app alone"],
  [["-app", "payroll"], "-path is required"],
  [["-app", "payroll", "-path", "/", "-method", "A B"], "-method is no method"],
  [["-app", "payroll", "-path", "/", "-connector", "corp"], "-claims is required with -connector"],
  [["-app", "pay", "-path", "/"], "there is no web app of this name; there are: payroll, board"],
  [["-tool", "tags_listTags"], "-claims is required"],
  [["-source", "limits", "-tool", "tags_listTags"], "-tool does not go with -source"],
  [["-source", "limit"], "there is no such key; at the top there are: version, health"],
  [["-source", "apps[nope].timeout"], "there is no such entry; at apps there are: resource server, tags, payroll"],
  [["-source", "tls[0"], "-source takes a key such as limits"],
  [["-tool", "tags_listTags", "-claims", "/nowhere"], "/nowhere cannot be read"],
])("explain with %j tells what is missing", async (args, message) => {
  const { code, stdout, stderr } = await at.here("explain", ...args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
});

test("explain -source says what each layer says of a key, also without a store", async () => {
  const { code, stdout } = await at.here("explain", "-source", "apps[tags].openapi.baseURL");
  expect([code, stdout]).toEqual([
    0,
    [
      "default       says nothing",
      'file          "https://tags.example"',
      "console       says nothing",
      "apps[1].openapi.baseURL: file counts (there is no store on this machine)",
      "",
    ].join("\n"),
  ]);
  expect(existsSync(at.store)).toBe(false);
});

test("explain says what account a call needs, and whether the store of this machine has it", async () => {
  const explained = async () => {
    const { code, stdout } = await at.here("explain", "-tool", "mail_listTags", "-claims", claims());
    return [code, stdout.split("\n").find((line) => line.startsWith("credential"))];
  };
  const needed = "the person's own account at provider with the scopes mail:read";
  expect(await explained()).toEqual([0, `credential  allowed  ${needed}, if the person has connected it`]);
  expect(existsSync(at.store)).toBe(false);

  const executor = openSqlite(at.store);
  const stores = sqlStores(executor, systemClock);
  const reason = "not connected: there is no connection";
  expect(await explained()).toEqual([4, `credential  denied   ${reason}; needs ${needed}`]);
  const record = connection({
    ...{ organizationId: "", person: "a-person", app: "mail", agent: "", connector: "provider" },
    scopes: ["mail:read"],
  });
  await stores.connections.connect(record, connectionEvent(record));
  expect(await explained()).toEqual([0, `credential  allowed  ${needed}, which is connected`]);

  const file = join(at.folder, "person.json");
  writeFileSync(file, JSON.stringify({ sub: "ada" }));
  const ofPage = async () => {
    const { code, stdout } = await at.here("explain", "-app", "board", "-path", "/board/x", "-claims", file);
    return [code, stdout.split("\n").find((line) => line.startsWith("credential"))];
  };
  expect(await ofPage()).toEqual([4, `credential  denied   ${reason}; needs ${needed}`]);
  const person = personId({ issuer: "https://corp.example", subject: "ada" });
  const own = { ...record, person, app: "board", connectionId: "connection_of_board" };
  await stores.connections.connect(own, connectionEvent(own));
  expect(await ofPage()).toEqual([0, `credential  allowed  ${needed}, which is connected`]);

  const values = { serverName: "Named" };
  const event = credentialEvent("settings.changed");
  expect(await stores.settings.replaceSettings({ revision: 1, values }, event)).toBe(true);
  const source = await at.here("explain", "-source", "mcpProvider.serverName", "-json");
  expect(JSON.parse(source.stdout)).toMatchObject({
    path: "mcpProvider.serverName",
    layers: [{ layer: "default" }, { layer: "file" }, { layer: "console", value: "Named" }],
    counts: "console",
  });

  const narrowed = { limits: [{ name: "few", rate: "1/s" }] };
  const overridden = { revision: 2, isFirst: true, values: narrowed, fullAt: 0 };
  const added = { revision: 2, values: withOverridesOf({ revision: 1, values }, "org_a", overridden) };
  expect(await stores.settings.replaceSettings(added, credentialEvent("overrides.changed"))).toBe(true);
  const { stdout } = await at.here("explain", "-source", "limits");
  expect(stdout).toContain(
    `organization  org_a adds ${JSON.stringify(narrowed.limits)} (not in use: limits: the operator`,
  );

  executor.close();
});

test("explain asks the policies of organizations, and says so where they were not looked at", async () => {
  const explained = (name: string, text: string) => {
    const file = join(at.folder, name);
    writeFileSync(file, `${text}deployment: {overridable: [policies]}\n`);
    return at.here("explain", "-tool", "tags_listTags", "-claims", claims(), "-config", file);
  };
  const text = readFileSync(at.config, "utf8");
  const elsewhere = await explained("elsewhere.yaml", text.replaceAll(at.store, join(at.folder, "no-store")));
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    0,
    "overrides of organizations: not looked at, as there is no store on this machine\n",
  ]);

  const executor = openSqlite(at.store);
  const { settings } = sqlStores(executor, systemClock);
  const stored = await settings.readSettings();
  const revision = stored.revision + 1;
  const values = { policies: [{ app: "tags", cel: "false" }] };
  const next = { revision, values: withOverridesOf(stored, "org_a", { revision, isFirst: true, values, fullAt: 0 }) };
  expect(await settings.replaceSettings(next, credentialEvent("overrides.changed"))).toBe(true);
  executor.close();
  const denied = await explained("overridable.yaml", text);
  expect([denied.code, denied.stderr]).toEqual([4, ""]);
  expect(denied.stdout).toContain("overrides.policies[0]: denies the call");
});
