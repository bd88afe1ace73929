import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Answer, answerOf, createSigner, issueToken, manage, type Owner } from "./fixture.ts";
import { bearer, gatewayToken, mcpURL, post, rpc } from "./gateway-fixture.ts";

interface Shown {
  readonly id: string;
  readonly agent?: string;
}

interface AgentSession {
  /** What the agent holds. */
  readonly id: string;
  readonly agent: string;
  /** Status of a request in it. */
  request(): Promise<number>;
}

/** Sessions of agents as those who administer them see them. Needs a gateway with sessions. */
export function agentSessions(owner: () => Owner): void {
  const list = (query = "") => answerOf(manage(owner(), "GET", `/mcp-sessions${query}`));
  const end = (id: string) => answerOf(manage(owner(), "DELETE", `/mcp-sessions/${id}`));
  /** The agent's newest session, once it is listed. */
  const listed = async (agent: string): Promise<Shown> => {
    const shown = await eventually(
      async () => (await everything(owner())).find((session) => session.agent === agent),
      (session) => session !== undefined,
    );
    if (shown === undefined) throw new Error("not listed");
    return shown;
  };
  const clientToken = async (...scopes: readonly string[]) =>
    issueToken(owner().region, await createSigner(owner(), { scopes }));
  const by = (token: string, method: string, path = "/mcp-sessions") =>
    answerOf(fetch(`${owner().region.url}/api/v1${path}`, { method, headers: bearer(token) }));
  /** Nobody who may not end a session has ended one. */
  const refusing = async (answers: readonly Answer[], status: number, session: AgentSession) => {
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
    expect(await session.request()).toBe(200);
  };

  test("an agent's session is listed with who is in it, and without the id that the agent holds", async () => {
    const session = await startSession(owner());
    const { id } = await listed(session.agent);
    const { status, body, headers } = await list();
    expect([status, headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((body as { items: readonly Shown[] }).items.find((item) => item.id === id)).toEqual({
      id: expect.stringMatching(/^[\w-]{43}$/),
      transport: "stream",
      agent: session.agent,
      issuer: owner().region.url,
      protocolVersion: "2025-06-18",
      clientInfo: { name: "An agent", version: "7" },
      startedAt: time,
      lastSeenAt: time,
      expiresAt: time,
    });
    expect(JSON.stringify(body)).not.toContain(session.id);
  });

  test("sessions come in pages, newest first, each once", async () => {
    const started: AgentSession[] = [];
    for (let i = 0; i < 3; i++) started.push(await startSession(owner()));
    for (const { agent } of started) await listed(agent);
    const paged = await everything(owner(), 2);
    expect(new Set(paged.map(({ id }) => id)).size).toBe(paged.length);
    const ours = paged.filter(({ agent }) => started.some((session) => session.agent === agent));
    expect(ours.map(({ agent }) => agent)).toEqual(started.map(({ agent }) => agent).toReversed());
  });

  test("25. a session that an owner ends is over on its next request, is listed no longer, and leaves a record", async () => {
    const session = await startSession(owner());
    const { id } = await listed(session.agent);
    expect(await session.request()).toBe(200);
    const response = await manage(owner(), "DELETE", `/mcp-sessions/${id}`);
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(await session.request()).toBe(404);
    expect((await end(id)).status).toBe(404);
    await eventually(
      () => everything(owner()),
      (items) => !items.some((item) => item.id === id),
    );
    const { userId } = (await answerOf(manage(owner(), "GET", "/me"))).body as { userId: string };
    expect(await terminations(owner(), session)).toMatchObject([
      {
        outcome: "success",
        reason: "administrator_terminated",
        actor: userId,
        agent: session.agent,
        requestId: response.headers.get("X-Request-Id"),
        region: "us",
        details: { sessionId: id },
      },
    ]);
  });

  test("an API client ends sessions with sessions:write, and is the actor of the record", async () => {
    const session = await startSession(owner());
    const { id } = await listed(session.agent);
    const signer = await createSigner(owner(), { scopes: ["sessions:write"] });
    expect((await by(await issueToken(owner().region, signer), "DELETE", `/mcp-sessions/${id}`)).status).toBe(204);
    expect(await session.request()).toBe(404);
    expect(await terminations(owner(), session)).toMatchObject([{ actor: signer.clientId, agent: session.agent }]);
  });

  test("32. an API client reads with sessions:read alone, ends with sessions:write alone, and is told what it lacks", async () => {
    const session = await startSession(owner());
    const path = `/mcp-sessions/${(await listed(session.agent)).id}`;
    const [reader, writer, other] = await Promise.all([
      clientToken("sessions:read"),
      clientToken("sessions:write"),
      clientToken("audit:read", "tools:read"),
    ]);
    expect((await by(reader, "GET")).body).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ agent: session.agent })]),
    });
    const [reads, ends] = [
      [await by(writer, "GET"), await by(other, "GET")],
      [await by(reader, "DELETE", path), await by(other, "DELETE", path)],
    ];
    await refusing([...reads, ...ends], 403, session);
    const lacks = (scope: string) => `Bearer realm="countersign", error="insufficient_scope", scope="${scope}"`;
    const challenges = [...reads, ...ends].map(({ headers }) => headers.get("WWW-Authenticate"));
    const [read, write] = [lacks("sessions:read"), lacks("sessions:write")];
    expect(challenges).toEqual([read, read, write, write]);
  });

  test("23. strangers, other sites and tokens for the gateway end no session and see none", async () => {
    const session = await startSession(owner());
    const { id } = await listed(session.agent);
    const url = `${owner().region.url}/api/v1/mcp-sessions`;
    const resources = [mcpURL(owner().region)];
    const signer = await createSigner(owner(), { scopes: ["sessions:read", "sessions:write"], resources });
    const token = await gatewayToken(owner().region, signer);
    const strangers = await Promise.all([
      answerOf(fetch(url)),
      answerOf(fetch(`${url}/${id}`, { method: "DELETE" })),
      answerOf(fetch(url, { headers: { Cookie: `__Host-countersign-console=${"A".repeat(43)}` } })),
      answerOf(fetch(`${url}/${id}`, { method: "DELETE", headers: { "Mcp-Session-Id": session.id } })),
      by(token, "GET"),
      by(token, "DELETE", `/mcp-sessions/${id}`),
      by("x", "DELETE", `/mcp-sessions/${id}`),
    ]);
    await refusing(strangers, 401, session);
    const headers = { Cookie: owner().cookie, Origin: "https://elsewhere.example" };
    await refusing([await answerOf(fetch(`${url}/${id}`, { method: "DELETE", headers }))], 403, session);
  });

  test("25. the id that the agent holds, and every other text, names no session here", async () => {
    const session = await startSession(owner());
    await listed(session.agent);
    const texts = [session.id, "A".repeat(43), "x", "..%2F..", "%00", "%E0%A4%A", "a".repeat(2_000)];
    for (const text of texts) {
      const { status, body } = await end(text);
      expect([text, status, body]).toMatchObject([text, 404, { type: "urn:countersign:problem:not_found" }]);
    }
    expect(await session.request()).toBe(200);
  });

  test("what is no parameter, page or method here is refused by name", async () => {
    const refused = await Promise.all([list("?limit=0"), list("?limit=201"), list("?agent=x"), list("?cursor=")]);
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    expect(refused[2]?.body).toMatchObject({ errors: [{ pointer: "/agent" }] });
    const { status, headers } = await answerOf(manage(owner(), "POST", "/mcp-sessions"));
    expect([status, headers.get("Allow")]).toEqual([405, expect.stringContaining("GET")]);
    expect((await answerOf(manage(owner(), "DELETE", `/mcp-sessions/${"A".repeat(43)}?all=true`))).status).toBe(422);
  });
}

/** As an agent of its own. */
async function startSession(owner: Owner): Promise<AgentSession> {
  const { region } = owner;
  const signer = await createSigner(owner, { resources: [mcpURL(region)] });
  const headers = bearer(await gatewayToken(region, signer));
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "An agent", version: "7" } };
  const response = await post(region, { jsonrpc: "2.0", id: 1, method: "initialize", params }, headers);
  const id = response.headers.get("Mcp-Session-Id");
  if (id === null) throw new Error(`no session: ${response.status} ${await response.text()}`);
  expect((await rpc(response)).result).toBeDefined();
  return {
    id,
    agent: signer.clientId,
    request: async () => {
      const answer = await post(
        region,
        { jsonrpc: "2.0", id: 2, method: "ping" },
        { ...headers, "mcp-session-id": id },
      );
      await answer.text();
      return answer.status;
    },
  };
}

async function everything(owner: Owner, limit = 200): Promise<readonly Shown[]> {
  const found: Shown[] = [];
  let cursor = "";
  do {
    const { status, body } = await answerOf(manage(owner, "GET", `/mcp-sessions?limit=${limit}${cursor}`));
    expect(status).toBe(200);
    const page = body as { items: Shown[]; nextCursor?: string };
    found.push(...page.items);
    cursor = page.nextCursor === undefined ? "" : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  } while (cursor !== "");
  return found;
}

/** Records of the end of the agent's sessions, once there is one. */
async function terminations(owner: Owner, { agent }: AgentSession): Promise<readonly unknown[]> {
  const query = `/audit-events?type=session.terminated&agent=${agent}`;
  return eventually(
    async () => ((await answerOf(manage(owner, "GET", query))).body as { items: readonly unknown[] }).items,
    (items) => items.length > 0,
  );
}
