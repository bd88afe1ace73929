import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PolicyConfiguration } from "../../lib/config/policy-engines.ts";
import { type RpcAnswer, rpc, textOf } from "../behaviour/gateway-fixture.ts";
import { type Opa, startOpa } from "../support/opa.ts";
import { RESOURCE } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const it = withGateway();
let opa: Opa;
let token: string;
beforeAll(async () => {
  opa = await startOpa();
});
afterAll(() => opa.stop());
beforeEach(async () => {
  token = await it.server.token(RESOURCE, "jwt");
});

const cel = (expression: string, name = "cel"): PolicyConfiguration => ({ engine: "cel", name, expression });
const asked = (options: { forwardToken?: boolean; list?: boolean; name?: string } = {}): PolicyConfiguration => ({
  engine: "opa",
  name: "opa",
  url: opa.url,
  timeout: 5_000,
  forwardToken: false,
  list: false,
  ...options,
});
const serve = (...policies: readonly PolicyConfiguration[]) => it.restart({ policies });

async function send(method: string, params: unknown): Promise<RpcAnswer> {
  const response = await it.gateway.send("/mcp?secret=hunter2", {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      cookie: "session=hunter2",
      "proxy-authorization": "Basic aHVudGVyMg==",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  expect(response.status).toBe(200);
  return rpc(response);
}
const call = (name = "getNote", given: unknown = { noteId: "1" }) => send("tools/call", { name, arguments: given });
async function listed(): Promise<readonly string[]> {
  const { result } = await send("tools/list", {});
  const tools = (result?.tools ?? []) as readonly { readonly name: string }[];
  return tools.map(({ name }) => name);
}

async function records() {
  const { dependencies } = it.gateway;
  const organization = await dependencies.stores.directory.firstOrganization();
  const filter = { organizationId: organization?.organizationId ?? "", type: "tool.invoked" };
  return (await dependencies.stores.auditLog.query(filter, { limit: 10 })).items;
}

test("a call's record says how long its decision took, where that was long", async () => {
  await serve(asked());
  const deciding = (milliseconds: number) =>
    opa.decide(() => {
      const { clock } = it.gateway;
      clock.set(clock.now() + milliseconds);
      return true;
    });
  deciding(250);
  await call();
  deciding(1);
  await call();
  const [quick, slow] = await records();
  expect(slow?.details).toMatchObject({ decisionMs: "250" });
  expect(quick?.details).not.toHaveProperty("decisionMs");
  expect(quick?.details).not.toHaveProperty("credentialMs");
});

describe("a call that a policy denies", () => {
  const denying = cel("request.mcp.tool.params.arguments.noteId != '1'");

  test("is answered by a failed result that says so, recorded, and never made", async () => {
    await serve(denying);
    const before = it.upstream.requests.length;
    const answer = await call();
    expect(answer.result?.isError).toBe(true);
    expect(textOf(answer)).toBe("A policy does not allow this call.");
    expect(it.upstream.requests).toHaveLength(before);
    expect(await records()).toMatchObject([
      { outcome: "denied", reason: "policy", tool: "getNote", details: { policy: "cel" } },
    ]);
  });

  test("51. slows down who has 1,000 of them in a second, and nobody else", async () => {
    await serve(cel("false"));
    const denied = async (by: string) => (await it.gateway.call("getNote", { noteId: "1" }, by)).status;
    for (let sent = 0; sent < 1_000; sent += 50) {
      expect(new Set(await Promise.all(Array.from({ length: 50 }, () => denied(token))))).toEqual(new Set([200]));
    }
    expect(await denied(token)).toBe(429);
    expect(await denied(await it.server.sign({ aud: RESOURCE, sub: "another", scope: "notes:read" }))).toBe(200);
    const { clock } = it.gateway;
    clock.set(clock.now() + 1_000);
    expect(await denied(token)).toBe(200);
  });

  test("says what the policy wants the agent to know", async () => {
    await serve(asked());
    opa.decide(() => ({ allowed: false, external_message: "Only on weekdays." }));
    const answer = await call();
    expect(answer.result?.isError).toBe(true);
    expect(textOf(answer)).toBe("Only on weekdays.");
  });

  test("tells nothing of a tool that another policy hides", async () => {
    const hiding = cel("request.mcp.tool.params.name != 'getNote'", "hiding");
    await serve(denying, hiding);
    expect((await call()).error?.message).toBe("There is no tool of this name.");
    await serve(denying, asked({ list: true }));
    opa.decide(({ request }) => (request.mcp.tools === undefined ? true : { allowed: ["listNotes"] }));
    expect((await call()).error?.message).toBe("There is no tool of this name.");
    expect(await records()).toMatchObject([{ outcome: "denied", reason: "policy", tool: "getNote" }]);
  });

  test("is another one with other arguments", async () => {
    await serve(cel("request.mcp.tool.params.arguments.noteId == '1'"));
    expect((await call("getNote", { noteId: "2" })).result?.isError).toBe(true);
    expect((await call("getNote", { noteId: "1" })).result?.isError).toBeUndefined();
  });

  test.each([
    ["the first", [cel("false"), cel("true")]],
    ["the last", [cel("true"), cel("false")]],
  ])("is denied by %s of several", async (_, policies) => {
    await serve(...policies);
    expect((await call()).error?.message).toBe("There is no tool of this name.");
  });

  test("is not taken to a server when an expression denies it already", async () => {
    await serve(asked(), denying);
    const before = opa.inputs.length;
    await call();
    expect(opa.inputs).toHaveLength(before);
  });

  test("is taken to each server once", async () => {
    await serve(asked(), asked({ name: "other" }));
    opa.decide(() => true);
    const before = opa.inputs.length;
    expect((await call()).result?.isError).toBeUndefined();
    expect(opa.inputs).toHaveLength(before + 2);
  });

  test("is denied by a policy that fails, and the log says how, without arguments", async () => {
    await serve(cel("request.mcp.tool.params.arguments.noteId + 1 == 2"), asked());
    expect((await call("getNote", { noteId: "hunter2" })).result?.isError).toBe(true);
    await serve(asked());
    opa.answer((response) => response.writeHead(503).end("hunter2"));
    expect((await call()).result?.isError).toBe(true);
    const [line = "", ...others] = it.gateway.logs.filter((text) => text.includes("policy could not decide"));
    expect(others).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({ app: "notes", policy: "opa", failure: "status_503" });
    expect(it.gateway.logs.join("")).not.toContain("hunter2");
  });
});

describe("a call of a tool that a server left out of lists", () => {
  test("is one of an unknown tool, whatever the server says of calls", async () => {
    await serve(asked({ list: true }));
    opa.decide(({ request }) => (request.mcp.tools === undefined ? true : { allowed: ["listNotes"] }));
    const before = it.upstream.requests.length;
    expect((await call()).error?.message).toBe("There is no tool of this name.");
    expect(await records()).toMatchObject([{ outcome: "denied", reason: "policy", details: { policy: "opa" } }]);
    expect(it.upstream.requests).toHaveLength(before);
  });

  test("is one that is denied where the server denies this call alone", async () => {
    await serve(asked({ list: true }));
    opa.decide(({ request }) => request.mcp.tools !== undefined);
    expect(textOf(await call())).toBe("A policy does not allow this call.");
  });
});

describe("what a policy learns", () => {
  test("is the call, the caller and the request, without what proves who the caller is", async () => {
    await serve(asked());
    await call();
    const { request, user, agent, token: shown } = opa.inputs.at(-1) ?? {};
    expect(request?.mcp).toEqual({
      method: "tools/call",
      app: "notes",
      http: {
        method: "POST",
        path: "/mcp",
        headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      },
      tool: { params: { name: "getNote", arguments: { noteId: "1" } } },
    });
    expect(request?.http).toEqual({
      method: "GET",
      path: "/notes/1",
      query: {},
      headers: { Accept: expect.any(String), "User-Agent": "Countersign" },
      remoteAddress: "203.0.113.1",
    });
    expect({ user, agent }).toEqual({ user: {}, agent: { clientID: "agent" } });
    expect(shown?.claims).toMatchObject({ iss: it.server.issuer, aud: RESOURCE, client_id: "agent" });
  });

  test("is the token where the configuration says so", async () => {
    await serve(asked({ forwardToken: true }), cel("!has(request.http.headers.Authorization)"));
    opa.decide(({ request }) => request.http.headers?.Authorization === `Bearer ${token}`);
    expect((await call()).result?.isError).toBeUndefined();
  });

  test("is the person, where there is one", async () => {
    const claims = { sub: "a-person", client_id: "agent", aud: RESOURCE, scope: "notes:read" };
    await serve(cel('user.sub == "a-person" && token.claims.client_id == agent.clientID'));
    expect((await call()).error).toBeDefined();
    token = await it.server.sign({ ...claims, iss: it.server.issuer, exp: Math.floor(Date.now() / 1_000) + 60 });
    expect((await call()).result?.isError).toBeUndefined();
  });
});

describe("44. a policy that reads the request to the API", () => {
  const posts = 'request.http.method == "GET" || request.http.path.endsWith("/1")';

  test("44. decides on it, by an expression and at a server", async () => {
    await serve(asked(), cel(posts));
    opa.decide(({ request }) => request.http.path === "/notes/1");
    expect((await call()).result?.isError).toBeUndefined();
    await serve(cel('request.http.path != "/notes/1"'));
    expect(textOf(await call())).toBe("A policy does not allow this call.");
  });

  test("44. says nothing of lists", async () => {
    await serve(cel('request.http.method == "GET"'));
    expect(await listed()).toContain("createNote");
  });

  test("44. denies where the arguments make none, and the agent learns why", async () => {
    await serve(cel(posts));
    expect(textOf(await call("getNote", { noteId: "../1" }))).toContain("noteId: must not contain the path segments");
    expect(textOf(await call("getNote", { noteId: 1, other: 2 }))).toContain("other: is not accepted");
    await serve(cel(posts), cel("request.mcp.tool.params.name == 'createNote'"));
    expect((await call("getNote", { noteId: "../1" })).error).toBeDefined();
  });
});

describe("tools in a list", () => {
  test("are those that an expression without arguments allows", async () => {
    await serve(cel('request.mcp.tool.params.name.startsWith("get")'), cel("request.mcp.tool.params.arguments.x == 1"));
    expect(await listed()).toEqual(["getNote", "getNoteText"]);
  });

  test("are those that a server allows, which is asked once for all", async () => {
    await serve(asked({ list: true }), asked({ name: "not about lists" }));
    opa.decide(({ request }) => ({
      allowed: request.mcp.tools?.map(({ params }) => params.name).filter((name) => name.endsWith("Note")),
    }));
    const before = opa.inputs.length;
    expect(await listed()).toEqual(["createNote", "getNote", "deleteNote"]);
    expect(opa.inputs).toHaveLength(before + 1);
    expect(opa.inputs.at(-1)?.request.mcp).toMatchObject({ method: "tools/list", app: "notes" });
    expect(opa.inputs.at(-1)?.request.mcp).not.toHaveProperty("tool");
  });

  test("are all where nothing decides without arguments, and none where a policy fails", async () => {
    await serve(asked());
    const all = await listed();
    expect(all.length).toBeGreaterThan(10);
    await serve(cel('user.sub == "a-person"'));
    expect(await listed()).toEqual([]);
    opa.answer((response) => response.destroy());
    await serve(asked({ list: true }));
    expect(await listed()).toEqual([]);
  });
});
