import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { artifactFrom } from "../deployment/bundles.ts";
import { eventually } from "../support/eventually.ts";
import { DOCUMENT, startProbedAddresses } from "../support/probed-addresses.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";
import { beginning, NOTES_APP, SESSIONS, SET_UP_CONSOLE, TOKEN_SERVICE } from "../support/yaml.ts";
import { joined, manage, NO_UPSTREAM, type Owner, setUpOwner } from "./fixture.ts";
import { post, rpc, STATELESS_META } from "./gateway-fixture.ts";

/** A gateway that is open to everybody and says which configuration it has. */
const named = (name: string) =>
  `${beginning()}${SET_UP_CONSOLE}${TOKEN_SERVICE}  keySecret: <countersign.key-secret>
mcpProvider:
  enabled: true
  serverName: ${name}
${SESSIONS}webhooks:
  - name: pager
    url: "{{ env.PAGER_URL }}"
    secrets: ["{{ env.PAGER_SECRET }}"]
    types: [config.proposed, config.published]
apps:
${NOTES_APP}`;

const RUNTIMES: Readonly<Record<string, string>> = { node: "node", workerd: "workers", lambda: "lambda" };
const VARIABLES = {
  ...{ UPSTREAM_URL: NO_UPSTREAM, SVC_CONFIG_SOURCE: "store:", SVC_CONFIG_SIGNING: "service" },
  ...{ SVC_CONFIG_DEPLOYMENT: "production", SVC_CONFIG_INTERVAL: "5s" },
};

/** What owners publish at the Console, signed by the instances (checklist 81). */
export function publishing(runtime: RuntimeUnderTest): void {
  // Other processes than the first have no deployment to publish for.
  if (runtime.processes !== undefined) return;
  let regions: RunningRegions;
  let owner: Owner;
  let pager: WebhookReceiver;

  const start = async (more: Readonly<Record<string, string>> = {}): Promise<void> => {
    pager = await startWebhookReceiver();
    const variables = { ...VARIABLES, ...more, PAGER_URL: pager.url, PAGER_SECRET: pager.secret };
    regions = await runtime.start({ configuration: named("built-in"), variables, alone: true });
    owner = await setUpOwner(regions.us);
  };
  const asked = async (method: string, path: string, body?: unknown, who = owner) => {
    const answer = await manage(who, method, `/deployment${path}`, body);
    const text = await answer.text();
    return { status: answer.status, body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown> };
  };
  const published = async (name: string, revision: number) => {
    const { published: _, ...artifact } = await artifactFrom(named(name));
    return asked("POST", "/revisions", { artifact: JSON.stringify(artifact), revision, reason: name });
  };
  const served = async (): Promise<string | undefined> => {
    const message = { jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: STATELESS_META } };
    const said = { "mcp-protocol-version": "2026-07-28", "mcp-method": message.method };
    return /"name":"([^"]+)"/.exec(JSON.stringify(await rpc(await post(regions.us, message, said))))?.[1];
  };
  const stop = () => Promise.all([regions.stop(), pager.stop()]);
  const alerts = () => pager.messages.map(({ type, data }) => [type, data.details] as const);
  const inUse = (name: string) => eventually(served, (found) => found === name);

  describe("published at the Console", { timeout: 120_000 }, () => {
    beforeAll(() => start());
    afterAll(stop);

    test("81. a draft begins with what is in use, and is kept until it is published", async () => {
      expect((await asked("GET", "")).body).toMatchObject({ signing: "service", source: "store:", highest: 0 });
      const { body: shown } = await asked("GET", "/document");
      expect(shown).toMatchObject({ document: { mcpProvider: { serverName: "built-in" } } });
      expect(shown).toMatchObject({ document: { oidcProvider: { keySecret: "<countersign.key-secret>" } } });
      expect(shown).not.toHaveProperty("catalogs");
      const { body: whole } = await asked("GET", "/document?tools=true");
      expect(whole).toMatchObject({ ...shown, catalogs: { upstream: { tools: expect.any(Array) } } });
      expect((await asked("GET", "/document?tools=yes")).status).toBe(422);
      const text = `${named("first")}# ${"ü".repeat(400_000)}`;
      expect((await asked("PUT", "/draft", { text })).status).toBe(200);
      const { body: draft } = await asked("GET", "/draft");
      expect([draft.text === text, draft.savedBy]).toEqual([true, "owner@example.com"]);
      expect((await asked("PUT", "/draft", { text: "other" })).status).toBe(409);
      expect((await asked("DELETE", "/draft")).status).toBe(204);
      expect((await asked("GET", "/draft")).status).toBe(404);
    });

    test("81. it is in use at once, and what was before comes back", async () => {
      expect(await published("first", 1)).toMatchObject({ status: 201, body: { publishedBy: "owner@example.com" } });
      await inUse("first");
      expect((await published("late", 1)).status).toBe(409);
      expect((await published("second", 2)).status).toBe(201);
      await inUse("second");
      const told = await eventually(
        async () => (await asked("GET", "")).body.instances as readonly Record<string, unknown>[],
        // Instances look, and tell, with requests.
        (instances) => instances.some(({ revision }) => revision === 2),
      );
      expect(told[0]).toMatchObject({ id: expect.any(String), runtime: RUNTIMES[runtime.name] });
      const back = await asked("POST", "/rollback", { to: 1, revision: 3, reason: "the second was worse" });
      expect(back).toMatchObject({ status: 201, body: { rollbackOf: 1, revision: 3 } });
      await inUse("first");
      await expect.poll(alerts).toMatchObject([
        ["config.published", { deploymentRevision: "1", publishedBy: "owner@example.com", reason: "first" }],
        ["config.published", { deploymentRevision: "2" }],
        ["config.published", { deploymentRevision: "3", rollbackOf: "1" }],
      ]);
    });

    test("81. addresses are asked for what may be published: documents, and MCP servers", async () => {
      const addresses = await startProbedAddresses();
      try {
        const documents = (path: string) => asked("POST", "/documents", { url: `${addresses.url}${path}` });
        const servers = (path: string, more = {}) =>
          asked("POST", "/mcp-servers", { url: `${addresses.url}${path}`, ...more });
        const fetched = await documents("/moved");
        expect([fetched.status, fetched.body.uri]).toEqual([200, `${addresses.url}/openapi.yaml?v=2`]);
        expect(fetched.body.text === DOCUMENT).toBe(true);
        const answered = { outcome: "answered", name: "everything", prompts: 1, resources: 2 };
        for (const [path, more] of [
          ["/mcp", {}],
          ["/sse", { transport: "sse" }],
          ["/locked", { headers: { authorization: "Bearer of-a-test" } }],
        ] as const)
          expect(await servers(path, more)).toMatchObject({ status: 200, body: answered });
        expect(await servers("/locked")).toMatchObject({ status: 200, body: { outcome: "unauthorized" } });
        const missing = expect.stringMatching(/answered with the HTTP status 404/);
        expect(await documents("/nothing")).toMatchObject({ status: 422, body: { detail: missing } });
        expect(await servers("/nothing")).toMatchObject({ status: 422, body: { detail: missing } });
        await addresses.stop();
        const gone = expect.stringMatching(/could not be reached|broke off before an answer came/);
        expect(await documents("/openapi.yaml")).toMatchObject({ status: 422, body: { detail: gone } });
        expect(await servers("/mcp")).toMatchObject({ status: 422, body: { detail: gone } });
      } finally {
        await addresses.stop();
      }
    });
  });

  describe("published at the Console by two", { timeout: 120_000 }, () => {
    beforeAll(() => start({ SVC_CONFIG_APPROVALS: "2" }));
    afterAll(stop);

    test("81. what one owner proposes is in use once another one has approved it", async () => {
      const other = await joined(owner, { email: "second@example.com", role: "owner" });
      expect((await asked("GET", "")).body).toMatchObject({ approvals: 2, highest: 0 });
      const proposed = await published("first", 1);
      expect(proposed).toMatchObject({ status: 202, body: { revision: 1, by: expect.stringMatching(/^user_/) } });
      expect((await published("another", 1)).status).toBe(409);
      await expect.poll(alerts).toMatchObject([["config.proposed", { proposedBy: expect.any(String) }]]);
      const { digest } = proposed.body;
      expect((await asked("POST", "/proposal/approve", { digest })).status).toBe(403);
      expect(await served()).toBe("built-in");
      const { body: shown } = await asked("GET", "/proposal", undefined, other);
      expect(shown).toMatchObject({ digest, document: { mcpProvider: { serverName: "first" } } });
      expect(shown.changes).toContainEqual({ path: "mcpProvider.serverName", from: '"built-in"', to: '"first"' });
      const approve = () => asked("POST", "/proposal/approve", { digest }, other);
      const answers = await Promise.all([approve(), approve(), approve()]);
      const made = answers.filter(({ status }) => status === 201);
      expect([made.length, answers.every(({ status }) => [201, 404, 409].includes(status))]).toEqual([1, true]);
      expect(made[0]?.body).toMatchObject({ publishedBy: "owner@example.com", approvedBy: "second@example.com" });
      await inUse("first");
      expect((await published("withdrawn", 2)).status).toBe(202);
      expect((await asked("DELETE", "/proposal", undefined, other)).status).toBe(204);
      expect((await asked("GET", "/proposal")).status).toBe(404);
    });
  });
}
