import { afterAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Answer, answerOf, createSigner, expectJson, issueToken, joined, manage, type Owner } from "./fixture.ts";
import { bearer, gatewayToken, type Headers, mcpURL, rpc } from "./gateway-fixture.ts";

const PATH = "/gateway-settings";

/** Settings of the gateway as its owners change them. Needs a gateway with OAuth and sessions at `/mcp`. */
export function gatewaySettings(owner: () => Owner): void {
  describe("gateway settings", () => {
    afterAll(async () => {
      await replace(owner(), {});
    });

    test("every setting is shown with its value, where it comes from and what holds without the Console", async () => {
      const { status, headers, body } = await answerOf(manage(owner(), "GET", PATH));
      expect([status, headers.get("Cache-Control"), headers.get("ETag")]).toEqual([200, "no-store", '"0"']);
      const yaml = (value: unknown) => ({ value, origin: "yaml", configured: value });
      const byDefault = (value: unknown) => ({ value, origin: "default", configured: value });
      expect(body).toEqual({
        settings: {
          enabled: yaml(true),
          serverName: byDefault("Countersign AI Identity Gateway"),
          streamPath: yaml("/mcp"),
          sessionHeaderName: byDefault("Mcp-Session-Id"),
          sessionTimeout: byDefault("1h"),
          allowClientTermination: byDefault(true),
          oauthEnabled: yaml(true),
          limits: byDefault([]),
        },
        isApplied: true,
      });
    });

    test("a change is used at once where it was made and soon everywhere, and is recorded with what it changed", async () => {
      const agent = await newAgent(owner());
      const values = { serverName: "Our Gateway", streamPath: "/mcp/v2", sessionHeaderName: "X-Agent-Session" };
      const { status, body, headers } = await replace(owner(), values);
      expect(status).toBe(200);
      const { userId } = await expectJson<{ userId: string }>(await manage(owner(), "GET", "/me"), 200);
      expect(body).toMatchObject({
        settings: {
          serverName: { value: "Our Gateway", origin: "console", configured: "Countersign AI Identity Gateway" },
          streamPath: { value: "/mcp/v2", origin: "console", configured: "/mcp" },
          sessionTimeout: { origin: "default" },
        },
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        updatedBy: userId,
        isApplied: true,
      });
      const answer = await eventually(
        () => agent.initialize("/mcp/v2"),
        (reply) => reply.status === 200,
      );
      expect(answer.headers.get("X-Agent-Session")).toBeTruthy();
      expect((await rpc(answer)).result).toMatchObject({ serverInfo: { name: "Our Gateway" } });
      const former = await eventually(
        () => agent.initialize("/mcp"),
        (reply) => reply.status === 404,
      );
      expect(former.headers.get("Content-Type")).toBe("application/problem+json");
      const [record] = await records(owner());
      expect(record).toMatchObject({
        outcome: "success",
        actor: userId,
        requestId: headers.get("X-Request-Id"),
        details: {
          changed: "serverName, streamPath, sessionHeaderName",
          ...{ serverName: "Our Gateway", streamPath: "/mcp/v2", sessionHeaderName: "X-Agent-Session" },
        },
      });
    });

    test("what a change leaves out is as the YAML has it again", async () => {
      const agent = await newAgent(owner());
      await replace(owner(), { serverName: "Our Gateway", sessionTimeout: "5m" });
      const { body } = await replace(owner(), { serverName: null, sessionTimeout: "90s" });
      expect(body).toMatchObject({
        settings: {
          serverName: { origin: "default" },
          streamPath: { value: "/mcp", origin: "yaml" },
          sessionTimeout: { value: "90s", origin: "console", configured: "1h" },
        },
      });
      const answer = await eventually(
        () => agent.initialize("/mcp"),
        (reply) => reply.status === 200,
      );
      expect((await rpc(answer)).result).toMatchObject({ serverInfo: { name: "Countersign AI Identity Gateway" } });
    });

    test("the gateway can be turned off, and on again", async () => {
      const agent = await newAgent(owner());
      await replace(owner(), { enabled: false });
      await eventually(
        () => agent.initialize("/mcp"),
        ({ status }) => status === 404,
      );
      await replace(owner(), {});
      await eventually(
        () => agent.initialize("/mcp"),
        ({ status }) => status === 200,
      );
    });

    test("51. limits are set, counted and taken back while the gateway runs, and mistakes in them are told with their place", async () => {
      const agent = await newAgent(owner());
      const limits = [{ name: "few", for: { client: agent.clientId }, quota: "2/day" }];
      const { status, body } = await replace(owner(), { limits });
      expect([status, body]).toMatchObject([
        200,
        { settings: { limits: { value: limits, origin: "console", configured: [] } } },
      ]);
      await eventually(
        () => agent.initialize("/mcp"),
        (reply) => reply.status === 429,
      );
      const [record] = await records(owner());
      expect(record).toMatchObject({ details: { changed: "limits", limits: JSON.stringify(limits) } });
      const mistakes = await replace(owner(), {
        limits: [
          { name: "few", rate: "often" },
          { name: "none" },
          { name: "few", quota: "1/day", for: { tools: "x" } },
        ],
      });
      expect(mistakes.status).toBe(422);
      expect(pointersOf(mistakes)).toEqual(expect.arrayContaining(["/limits/0/rate", "/limits/2/for/tools"]));
      expect(pointersOf(await replace(owner(), { limits: [{ name: "none" }] }))).toEqual([
        expect.stringMatching(/^\/limits\/0/),
      ]);
      expect(pointersOf(await replace(owner(), { limits: "many" }))).toEqual(["/limits"]);
      await replace(owner(), {});
      await eventually(
        () => agent.initialize("/mcp"),
        (reply) => reply.status === 200,
      );
    });

    test("a change that was decided on other settings is refused, and so is half of two at the same time", async () => {
      const { headers } = await replace(owner(), { serverName: "Known" });
      const tag = headers.get("ETag") as string;
      expect((await replace(owner(), { serverName: "Stale" }, { "If-Match": '"0"' })).status).toBe(412);
      const both = await Promise.all(
        ["One", "Other"].map((serverName) => replace(owner(), { serverName }, { "If-Match": tag })),
      );
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
      const { body } = both.find(({ status }) => status === 200) as Answer;
      const now = await answerOf(manage(owner(), "GET", PATH));
      expect((now.body as Shown).settings.serverName).toEqual((body as Shown).settings.serverName);
    });

    test("settings that are stored already are no change", async () => {
      const first = await replace(owner(), { serverName: "The same" });
      const count = (await records(owner())).length;
      const again = await replace(owner(), { serverName: "The same", enabled: null });
      expect([again.status, again.headers.get("ETag")]).toEqual([200, first.headers.get("ETag")]);
      expect(await records(owner())).toHaveLength(count);
    });

    test("values that the YAML would not accept are refused field by field, and nothing changes", async () => {
      const { headers } = await answerOf(manage(owner(), "GET", PATH));
      const refused = await replace(owner(), {
        streamPath: "/status",
        sessionTimeout: "soon",
        sessionHeaderName: "Cookie",
        oauthEnabled: "no",
      });
      expect([refused.status, refused.body]).toMatchObject([422, { type: "urn:countersign:problem:invalid_field" }]);
      expect(pointersOf(refused)).toEqual(["/oauthEnabled", "/sessionHeaderName", "/sessionTimeout"]);
      expect(pointersOf(await replace(owner(), { streamPath: "/status" }))).toEqual(["/streamPath"]);
      // Its tokens would be for nobody: no server is expected to give any for that address.
      expect(pointersOf(await replace(owner(), { streamPath: "/elsewhere" }))).toEqual(["/streamPath"]);
      expect(pointersOf(await replace(owner(), { stream: "/x" }))).toEqual(["/stream"]);
      expect((await answerOf(manage(owner(), "PUT", PATH, []))).status).toBe(400);
      expect((await answerOf(manage(owner(), "GET", PATH))).headers.get("ETag")).toBe(headers.get("ETag"));
    });

    test("keys that belong to the YAML alone are neither shown nor taken", async () => {
      const { body } = await answerOf(manage(owner(), "GET", PATH));
      const shown = Object.keys((body as Shown).settings).toSorted();
      expect(shown).toEqual([
        ...["allowClientTermination", "enabled", "limits", "oauthEnabled"],
        ...["serverName", "sessionHeaderName", "sessionTimeout", "streamPath"],
      ]);
      const yamlOnly = ["sse", "keepAlive", "oauthServers", "metadataPath", "refreshInterval", "telemetry"];
      for (const key of yamlOnly) expect(pointersOf(await replace(owner(), { [key]: "1m" }))).toEqual([`/${key}`]);
    });

    test("32. members read and change nothing, other organizations and API clients have nothing to do with it", async () => {
      const member = await joined(owner(), { email: "reader@example.com", role: "member" });
      expect((await answerOf(manage(member, "GET", PATH))).status).toBe(200);
      expect((await replace(member, { enabled: false })).status).toBe(403);
      const organization = await expectJson<{ organizationId: string }>(
        await manage(owner(), "POST", "/organizations", { name: "Another" }),
        201,
      );
      const there = { "Countersign-Organization": organization.organizationId };
      expect((await replace(owner(), { enabled: false }, there)).status).toBe(403);
      const url = `${owner().region.url}/api/v1${PATH}`;
      expect((await answerOf(fetch(url, { headers: { Cookie: owner().cookie, ...there } }))).status).toBe(403);
      const client = bearer(await issueToken(owner().region, await createSigner(owner(), { scopes: ["tools:read"] })));
      expect((await answerOf(fetch(url, { headers: client }))).status).toBe(403);
      expect((await answerOf(fetch(url))).status).toBe(401);
      expect((await answerOf(manage(owner(), "GET", PATH))).body).toMatchObject({
        settings: { enabled: { value: true } },
      });
    });
  });
}

interface Shown {
  readonly settings: Readonly<Record<string, unknown>>;
}

async function replace(owner: Owner, values: unknown, headers: Headers = {}): Promise<Answer> {
  return answerOf(
    fetch(`${owner.region.url}/api/v1${PATH}`, {
      method: "PUT",
      headers: { Cookie: owner.cookie, "Content-Type": "application/json", ...headers },
      body: JSON.stringify(values),
    }),
  );
}

function pointersOf({ body }: Answer): readonly string[] {
  const { errors = [] } = body as { readonly errors?: readonly { readonly pointer: string }[] };
  return [...new Set(errors.map(({ pointer }) => pointer))].toSorted();
}

async function records(owner: Owner): Promise<readonly unknown[]> {
  const response = await manage(owner, "GET", "/audit-events?type=settings.changed");
  return (await expectJson<{ items: readonly unknown[] }>(response, 200)).items;
}

/** Whoever begins sessions at a path, with a token for the gateway. */
async function newAgent(owner: Owner) {
  const { region } = owner;
  const signer = await createSigner(owner, { resources: [mcpURL(region)] });
  const headers = bearer(await gatewayToken(region, signer));
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "An agent", version: "1" } };
  return {
    clientId: signer.clientId,
    initialize: (path: string): Promise<Response> =>
      fetch(`${region.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
      }),
  };
}
