import { createRemoteJWKSet } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createSigner,
  expectJson,
  issueToken,
  manage,
  type Owner,
  type Parameters,
  postForm,
  type Signer,
  setUpOwner,
  signAssertion,
  tokenParameters,
} from "../../behaviour/fixture.ts";
import { type AuditRecord, bearer, call, mcpURL, type RpcAnswer, rpc } from "../../behaviour/gateway-fixture.ts";
import { answerTo, readEvents } from "../../behaviour/mcp/events.ts";
import { listen, notification, openSession, post, request, terminate } from "../../behaviour/mcp/session.ts";
import { openAgent, textOf } from "../../behaviour/mcp-proxy/agent.ts";
import { AUDIENCE, mcpProxyConfiguration } from "../../behaviour/mcp-proxy/configuration.ts";
import { type McpServers, startMcpServers } from "../../behaviour/mcp-proxy/server.ts";
import { withSSEServer } from "../../proxy/sse/sse-server.ts";
import { nodeWithWorkers } from "../../runtimes/node.ts";
import { eventually } from "../../support/eventually.ts";
import type { RunningRegion, RunningRegions } from "../../support/runtime.ts";
import { startUpstream, type Upstream } from "../../support/upstream.ts";
import { type PinnedWorkers, pinWorkers } from "./pinned.ts";

/** An app whose server speaks the legacy transport: one worker answers all requests of a session then. */
const LEGACY = `
  - type: mcpProxy
    name: legacy
    upstream:
      transport: sse
      sse:
        url: "{{ env.SSE_URL }}"
    authorization:
      outbound:
        type: unprotected
`;

const LIMITS = `
limits:
  - name: tags
    for: {tool: listTags}
    per: [client]
    rate: 6/h
    burst: 6
  - name: slow
    for: {tool: slow}
    per: [client]
    concurrent: 1
`;

interface Health {
  readonly components?: readonly { readonly name: string }[];
}

describe.each([
  ["whichever answers", ""],
  ["with a connection that one holds for a session", LEGACY],
])("two workers are one instance, %s", { timeout: 60_000 }, (_, more) => {
  const sse = withSSEServer();
  let [rest, servers, regions, it, owner] = [] as unknown as [
    Upstream,
    McpServers,
    RunningRegions,
    PinnedWorkers,
    Owner,
  ];

  beforeAll(async () => {
    [rest, servers] = await Promise.all([startUpstream(), startMcpServers()]);
    regions = await nodeWithWorkers.start({
      // Calls alone need no session.
      configuration:
        mcpProxyConfiguration.replace("timeout: 10m", "timeout: 10m\n        required: false") + more + LIMITS,
      variables: { UPSTREAM_URL: rest.url, MCP_URL: servers.url, SSE_URL: sse.url },
      alone: true,
    });
    const { us } = regions;
    servers.expect(createRemoteJWKSet(new URL(`${us.url}/oauth2/jwks`)), us.url, AUDIENCE);
    [it, owner] = await Promise.all([pinWorkers(us), setUpOwner(us)]);
  });
  afterAll(async () => {
    rest.release();
    it.close();
    await regions.stop();
    await Promise.all([rest.stop(), servers.stop()]);
  });

  beforeEach(() => {
    sse.onMessage = ({ message, stream }) => {
      const { id, method } = message;
      if (method === "tools/list")
        stream.send({ id, result: { tools: [{ name: "x", inputSchema: { type: "object" } }] } });
      else if (method !== "tools/call" && id !== undefined) stream.send({ id, result: {} });
      if (method !== "tools/call") return;
      const calls = stream.posted.filter(({ method }) => method === "tools/call").length;
      stream.send({ id, result: { content: [{ type: "text", text: `call ${calls}` }] } });
    };
  });

  /** Until so many calls wait at the API. */
  const waits = (count: number) =>
    eventually(
      async () => rest.waiting,
      (waiting) => waiting === count,
    );

  const newAgent = async () => {
    const signer = await createSigner(owner, {
      scopes: ["notes:read", "notes:write", "servers:read"],
      resources: [mcpURL(regions.us)],
    });
    const token = await issueToken(regions.us, signer, { resource: mcpURL(regions.us) });
    return { signer, token, headers: bearer(token) };
  };
  const both = () => [it.one, it.two];
  const EACH = [0, 1, 0, 1] as const;
  const worker = (at: number) => (at % 2 === 0 ? it.one : it.two);

  test("a session that one began is used by both, and is over for both when one ends it", async () => {
    const { headers } = await newAgent();
    const session = await openSession(it.one, headers);
    for (const at of EACH) expect((await post(worker(at), request("tools/list"), session.headers)).status).toBe(200);
    expect((await terminate(it.two, session.headers)).status).toBe(204);
    for (const at of EACH) expect((await post(worker(at), request("tools/list"), session.headers)).status).toBe(404);
  });

  test("what one is told goes out on the stream that the other holds; the later of two streams stays", async () => {
    const { headers } = await newAgent();
    const session = await openSession(it.one, headers);
    const [first, second] = [readEvents(await listen(it.one, session.headers)), await listen(it.two, session.headers)];
    expect((await first.next())?.data ?? "").toBe("");
    const events = readEvents(second);
    expect((await terminate(it.one, session.headers)).status).toBe(204);
    let last = await events.next();
    while (last !== undefined) last = await events.next();
  });

  test("a call of one is cancelled at the other", async () => {
    const { headers } = await newAgent();
    const session = await openSession(it.one, headers);
    const running = post(it.one, request("tools/call", { name: "upstream_slow", arguments: {} }, 7), session.headers);
    await waits(1);
    const cancelled = notification("notifications/cancelled", { requestId: 7 });
    expect((await post(it.two, cancelled, session.headers)).status).toBe(202);
    await waits(0);
    await (await running).text();
  });

  test("an agent that one asks answers at the other: in a session, and with a call that waits", async () => {
    const { headers } = await newAgent();
    const agent = await openAgent(it.one, headers, "session");
    const events = readEvents(await agent.send("tools/call", { name: "held_greet", arguments: {} }));
    const asked = await events.message();
    expect(asked?.method).toBe("elicitation/create");
    const ANSWER = { action: "accept", content: { name: "Ada" } };
    const answered = { jsonrpc: "2.0", id: asked?.id, result: ANSWER };
    expect((await post(it.two, answered, agent.headers)).status).toBe(202);
    expect(textOf((await events.message()) ?? {})).toBe("Hello Ada");

    for (const [asks, answers] of [
      [it.one, it.two],
      [it.two, it.two],
    ] as const) {
      const [first, other] = [
        await openAgent(asks, headers, "stateless"),
        await openAgent(answers, headers, "stateless"),
      ];
      const params = { name: "held_greet", arguments: {} };
      const { result } = await first.ask("tools/call", params);
      const { inputRequests = {}, requestState } = result ?? {};
      const inputResponses = Object.fromEntries(Object.keys(inputRequests as object).map((key) => [key, ANSWER]));
      const answer = await other.ask("tools/call", { ...params, inputResponses, requestState });
      expect(textOf(answer)).toBe("Hello Ada");
      // It is over, wherever it is asked for again.
      const again = await first.ask("tools/call", { ...params, inputResponses, requestState });
      expect(textOf(again)).not.toBe("Hello Ada");
    }
  });

  if (more !== "") {
    test("a server of the legacy transport has one connection of a session, whichever worker is asked", async () => {
      const { headers } = await newAgent();
      const sessions = await Promise.all(both().map((region) => openSession(region, headers)));
      for (const session of sessions) {
        const said: string[] = [];
        for (const at of EACH) {
          const response = await post(
            worker(at),
            request("tools/call", { name: "legacy_x", arguments: {} }),
            session.headers,
          );
          said.push(textOf(await answerTo(response)));
        }
        expect(said).toEqual(["call 1", "call 2", "call 3", "call 4"]);
      }
    });

    return;
  }

  test("51. a limit counts what both let through, and so does one of calls at the same time", async () => {
    const { headers } = await newAgent();
    const statuses: number[] = [];
    for (let at = 0; at < 8; at++) statuses.push((await post(worker(at), call("listTags"), headers)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    const running = post(it.one, call("slow"), headers);
    await waits(1);
    const refused: RpcAnswer = await rpc(await post(it.two, call("slow"), headers));
    expect(refused.error).toMatchObject({ data: { limit: "slow" } });
    rest.release();
    await (await running).text();
    const next = post(it.two, call("slow"), headers);
    await waits(1);
    rest.release();
    expect((await rpc(await next)).result?.isError).not.toBe(true);
  });

  const asked = async (region: RunningRegion, path: string, signer: Signer, more: Parameters) => {
    const assertion = await signAssertion(signer, regions.us);
    return (await postForm(`${region.url}/oauth2/${path}`, tokenParameters(assertion, more))).status;
  };

  test("8. a token that is revoked at one is refused by both from the next request on", async () => {
    for (const at of EACH) {
      const { token, headers, signer } = await newAgent();
      const called = async () =>
        Promise.all(
          both().map(async (region) => (await post(region, call("getNote", { noteId: "1" }), headers)).status),
        );
      expect(await called()).toEqual([200, 200]);
      expect(await asked(worker(at), "revoke", signer, { token })).toBe(200);
      expect(await called()).toEqual([401, 401]);
    }
  });

  test("7. a key pair that is revoked at one gets nothing from the other", async () => {
    for (const at of EACH) {
      const { signer } = await newAgent();
      const issued = async () => Promise.all(both().map((region) => asked(region, "token", signer, {})));
      // Both know the client by now.
      expect(await issued()).toEqual([200, 200]);
      const path = `/api-clients/${signer.clientId}/key-pairs/${signer.key.keyPairId}`;
      expect((await manage({ ...owner, region: worker(at) }, "POST", `${path}/revoke`)).status).toBe(200);
      const revoked = both().map((region) => asked(region, "revoke", signer, { token: "x" }));
      expect(await Promise.all(revoked)).toEqual([400, 400]);
      expect(await issued()).toEqual([400, 400]);
    }
  });

  test("52. a stop that one takes ends what runs at the other", async () => {
    const { signer, headers } = await newAgent();
    const running = post(it.one, call("slow"), headers);
    await waits(1);
    const stop = { kind: "api_client", id: signer.clientId, state: "suspended", reason: "It does harm." };
    expect((await manage({ ...owner, region: it.two }, "POST", "/stops", stop)).status).toBe(200);
    await waits(0);
    await (await running).text();
    for (const region of both())
      expect((await post(region, call("getNote", { noteId: "1" }), headers)).status).toBe(401);
  });

  test("settings that one stores are in use at both when that is answered", async () => {
    const { headers } = await newAgent();
    const limit = { name: "notes", for: { tool: ["getNote"] }, per: ["client"], rate: "1/h", burst: 1 };
    const changed = await manage({ ...owner, region: it.two }, "PUT", "/gateway-settings", { limits: [limit] });
    expect([changed.status, await changed.json()]).toEqual([200, expect.anything()]);
    const statuses = [];
    for (const region of both()) statuses.push((await post(region, call("getNote", { noteId: "1" }), headers)).status);
    expect(statuses).toEqual([200, 429]);
  });

  test("the health that one answers is that of both", async () => {
    const { headers } = await newAgent();
    const down = async () =>
      Promise.all(
        both().map(async (region) => {
          const { components = [] } = (await (await fetch(`${region.url}/status`)).json()) as Health;
          return components.some(({ name }) => name === "app:upstream");
        }),
      );
    const { port } = new URL(rest.url);
    await rest.stop();
    await rpc(await post(it.one, call("createNote", { title: "x" }), headers));
    expect(await down()).toEqual([true, true]);
    rest = await startUpstream(Number(port));
    await rpc(await post(it.two, call("createNote", { title: "x" }), headers));
    expect(await down()).toEqual([false, false]);
  });

  test("a worker that is killed is replaced, and nothing that was acknowledged is lost", async () => {
    const { signer, headers } = await newAgent();
    const pidOf = () => {
      const lines = regions.us
        .logs()
        .filter((line) => line.includes('"a worker listens"') && line.includes('"worker":1'));
      return (JSON.parse(lines.at(-1) ?? "{}") as { readonly pid: number }).pid;
    };
    const former = pidOf();
    // What it held for others to wait for is free again.
    const cut = post(it.one, call("slow"), headers).catch(() => undefined);
    await waits(1);
    let acknowledged = 0;
    let isOver = false;
    const callOn = async (): Promise<void> => {
      while (!isOver) {
        const answer = await post(regions.us, call("createNote", { title: "x" }), headers).catch(() => undefined);
        if (answer?.status === 200) acknowledged += 1;
        await answer?.text().catch(() => undefined);
      }
    };
    const calling = Promise.all([callOn(), callOn(), callOn(), callOn()]);
    await eventually(
      async () => acknowledged,
      (count) => count >= 20,
    );
    process.kill(former, "SIGKILL");
    await eventually(
      async () => pidOf(),
      (pid) => pid !== former,
    );
    isOver = true;
    await calling;
    await cut;
    const next = post(it.two, call("slow"), headers);
    await waits(1);
    rest.release();
    expect((await rpc(await next)).result?.isError).not.toBe(true);
    const records: AuditRecord[] = [];
    let cursor: string | undefined;
    do {
      const query = `type=tool.invoked&agent=${signer.clientId}&limit=100${cursor === undefined ? "" : `&cursor=${cursor}`}`;
      const page = await expectJson<{ items: readonly AuditRecord[]; nextCursor?: string }>(
        await manage(owner, "GET", `/audit-events?${query}`),
        200,
      );
      records.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(records.filter(({ outcome }) => outcome === "success").length).toBeGreaterThanOrEqual(acknowledged);
    expect(regions.us.logs().some((line) => line.includes("a worker ended; another one is started"))).toBe(true);
  });
});
