import { importPKCS8 } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { bridgeApp } from "../support/yaml.ts";
import { type Answer, answerOf, expectJson, manage, type Owner, type Signer } from "./fixture.ts";
import {
  bearer,
  call,
  type GatewayUnderTest,
  gatewayToken,
  type Headers,
  mcpURL,
  post,
  rpc,
  startGateway,
} from "./gateway-fixture.ts";

const TAGS = `
openapi: 3.1.0
info: {title: Tags, version: "1"}
paths:
  /tags:
    get: {operationId: listTags, responses: {"200": {description: Tags.}}}
  /notes:
    get: {operationId: listNotes, responses: {"200": {description: Notes.}}}
`;

/** As which the tests count an answer that is 200 and no result. */
const DENIED = 403;

/** An app for every organization, another of the first one, a limit, and what organizations may override. */
const MORE = `${bridgeApp("common", TAGS, "    shared: true\n")}${bridgeApp("ledger", TAGS)}limits:
  - name: tags
    for: {app: upstream, tool: listTags}
    per: all
    quota: 2/month
    exact: true
deployment:
  overridable: [limits, policies]
`;

/** What organizations override for themselves: it narrows what the operator configured, for themselves alone. */
export function overrides(runtime: RuntimeUnderTest): void {
  describe("overrides of organizations", { timeout: 60_000 }, () => {
    let it: GatewayUnderTest;
    let [ours, theirs] = ["", ""];
    beforeAll(async () => {
      it = await startGateway(runtime, { alone: true, more: MORE });
      ours = (await organizations(it.owner))[0] as string;
      const made = await manage(it.owner, "POST", "/organizations", { name: "Another" });
      theirs = (await expectJson<{ organizationId: string }>(made, 201)).organizationId;
    });
    afterAll(() => it.stop());

    const ask = (method: string, organizationId: string, body?: unknown, headers: Headers = {}): Promise<Answer> =>
      answerOf(of(it.owner, organizationId, method, `/organizations/${organizationId}/overrides`, body, headers));
    const replaced = async (organizationId: string, body: unknown): Promise<void> => {
      const { status, body: answer } = await ask("PUT", organizationId, body);
      expect([status, answer]).toMatchObject([200, { isApplied: true, leftOut: [] }]);
    };

    /** Whoever calls tools for an organization; resolves to the status. */
    const newAgent = async (organizationId: string) => {
      const signer = await signerOf(it.owner, organizationId, [mcpURL(it.us)]);
      const headers = bearer(await gatewayToken(it.us, signer));
      return async (name: string): Promise<number> => {
        const { params, ...message } = call("");
        const response = await post(it.us, { ...message, params: { ...params, name } }, headers);
        const { result } = await rpc(response);
        return response.status === 200 && (result === undefined || result.isError) ? DENIED : response.status;
      };
    };
    const until = (status: number, asked: () => Promise<number>) => eventually(asked, (found) => found === status);

    test("84. a limit of one organization counts for its agents, and for no others", async () => {
      const [own, other] = [await newAgent(ours), await newAgent(theirs)];
      await replaced(ours, { limits: [{ name: "few", for: { app: "common" }, per: "all", quota: "1/day" }] });
      await until(429, () => own("common_listTags"));
      for (let made = 0; made < 4; made++) expect(await other("common_listTags")).toBe(200);
      await replaced(ours, {});
      await until(200, () => own("common_listTags"));
    });

    test("84. what the operator limits stays limited, whatever an organization says", async () => {
      const own = await newAgent(ours);
      await replaced(ours, { limits: [{ name: "tags", for: { tool: "listTags" }, quota: "1000/day" }] });
      const statuses: number[] = [];
      for (let made = 0; made < 3; made++) statuses.push(await own("upstream_listTags"));
      expect(statuses).toEqual([200, 200, 429]);
      expect(await own("common_listTags")).toBe(200);
    });

    test("84. a policy has to allow calls of its organization's app as well, and of no other's", async () => {
      const own = await newAgent(ours);
      const cel = 'request.mcp.tool.params.name != "listTags"';
      expect(await own("ledger_listTags")).toBe(200);
      await replaced(ours, { policies: [{ app: "ledger", cel }] });
      await until(DENIED, () => own("ledger_listTags"));
      expect([await own("ledger_listNotes"), await own("common_listTags")]).toEqual([200, 200]);
      for (const app of ["ledger", "common", "nobody's"]) {
        const refused = await ask("PUT", theirs, { policies: [{ app, cel }] });
        expect([refused.status, pointersOf(refused)]).toEqual([422, ["/policies/0/app"]]);
        expect(JSON.stringify(refused.body)).not.toContain("ledger");
      }
      await replaced(ours, {});
      await until(200, () => own("ledger_listTags"));
    });

    test("84. each organization has its own, which others neither see nor change, and gateway settings stay as they were", async () => {
      const settings = () => answerOf(manage(it.owner, "GET", "/gateway-settings"));
      await replaced(ours, {});
      const before = await settings();
      const first = await ask("GET", theirs);
      const limits = [{ name: "slow", rate: "5/s" }];
      const changed = await ask("PUT", theirs, { limits }, { "If-Match": first.headers.get("ETag") as string });
      expect([changed.status, changed.body]).toMatchObject([
        200,
        {
          overridable: ["limits", "policies"],
          overrides: { limits: { value: limits, origin: "organization" }, policies: { value: [], origin: "default" } },
        },
      ]);
      expect((await ask("PUT", theirs, {}, { "If-Match": '"0"' })).status).toBe(412);
      expect((await ask("GET", ours)).body).toMatchObject({ overrides: { limits: { value: [], origin: "default" } } });
      const after = await settings();
      expect([after.headers.get("ETag"), after.body]).toEqual([before.headers.get("ETag"), before.body]);
      const named = await manage(it.owner, "PUT", "/gateway-settings", { serverName: "Named" });
      expect(named.status).toBe(200);
      await named.text();
      expect((await ask("GET", theirs)).body).toEqual(changed.body);
      const events = await answerOf(of(it.owner, theirs, "GET", "/audit-events?type=overrides.changed"));
      expect(events.body).toMatchObject({
        items: [{ outcome: "success", details: { changed: "limits", limits: JSON.stringify(limits) } }],
      });
      await manage(it.owner, "PUT", "/gateway-settings", {});
      expect((await ask("GET", `org_${crypto.randomUUID()}`)).status).toBe(404);
    });

    test("84. what is wrong is told with its place, in the words of the document", async () => {
      const refused = await ask("PUT", ours, {
        limits: [
          { name: "a", rate: "often" },
          { name: "b", rate: "1/s", for: { organization: theirs } },
          { name: "c", rate: "1/s", for: { endpoint: "management" } },
          { name: "d", rate: "1/s", for: { app: "no such" } },
          { name: "a", rate: "1/s", more: true },
        ],
        policies: [{ app: "upstream", cel: "1 +" }, { app: "common", cel: "true" }, { cel: "true" }],
      });
      expect(refused.status).toBe(422);
      expect(pointersOf(refused)).toEqual([
        ...["/limits/0/rate", "/limits/1/for/organization", "/limits/2/for/endpoint", "/limits/3/for/app"],
        ...["/limits/4/more", "/limits/4/name", "/policies/0/cel", "/policies/1/app", "/policies/2/app"],
      ]);
      expect(pointersOf(await ask("PUT", ours, { telemetry: {} }))).toEqual(["/telemetry"]);
      expect(pointersOf(await ask("PUT", ours, { limits: "many" }))).toEqual(["/limits"]);
      expect((await ask("PUT", ours, [])).status).toBe(400);
    });
  });
}

/** A request of somebody for one of their organizations. */
function of(
  { region, cookie }: Owner,
  organizationId: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
): Promise<Response> {
  return fetch(`${region.url}/api/v1${path}`, {
    method,
    headers: {
      ...{ Cookie: cookie, "Countersign-Organization": organizationId },
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function organizations(owner: Owner): Promise<readonly string[]> {
  const { items } = await expectJson<{ items: readonly { organizationId: string }[] }>(
    await manage(owner, "GET", "/organizations"),
    200,
  );
  return items.map(({ organizationId }) => organizationId);
}

async function signerOf(owner: Owner, organizationId: string, resources: readonly string[]): Promise<Signer> {
  const made = await of(owner, organizationId, "POST", "/api-clients", { name: "An agent", resources });
  const { clientId } = await expectJson<{ clientId: string }>(made, 201);
  const added = await of(owner, organizationId, "POST", `/api-clients/${clientId}/key-pairs`);
  const { privateKey: pem, ...pair } = await expectJson<{
    keyPairId: string;
    fingerprint: string;
    privateKey: string;
  }>(added, 201);
  return { clientId, key: { ...pair, pem, privateKey: await importPKCS8(pem, "ES256", { extractable: true }) } };
}

function pointersOf({ body }: Answer): readonly string[] {
  const { errors = [] } = body as { readonly errors?: readonly { readonly pointer: string }[] };
  return [...new Set(errors.map(({ pointer }) => pointer))].toSorted();
}
