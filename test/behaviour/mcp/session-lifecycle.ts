import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { issueToken, manage } from "../fixture.ts";
import { bearer } from "../gateway-fixture.ts";
import { SESSION_HEADER } from "./configuration.ts";
import { answerTo, type Message, readEvents } from "./events.ts";
import { type McpUnderTest, startAgent, streamURL } from "./fixture.ts";
import { initialize, listen, notification, openSession, post, request, type Session, terminate } from "./session.ts";
import { hashOf, sessionRecords } from "./session-records.ts";

/** How sessions begin and end (MCP 2025-11-25, Transports, Session Management; Lifecycle). */
export function sessionLifecycle(
  it: () => McpUnderTest,
  { streams: holdsStreams }: { readonly streams: boolean },
): void {
  describe("a session", () => {
    let session: Session;
    const open = (version?: string) => openSession(it().us, it().agent.stream, version);
    const send = (body: unknown, { headers }: Pick<Session, "headers"> = session) => post(it().us, body, headers);

    beforeAll(async () => {
      session = await open();
    });

    test("begins with initialize: its id of 256 bits comes in the configured header, and only there", async () => {
      const response = await post(it().us, initialize(), it().agent.stream);
      expect(response.status).toBe(200);
      expect(response.headers.get(SESSION_HEADER)).toMatch(/^[\w-]{43}$/);
      expect(response.headers.get("mcp-session-id")).toBeNull();
      const { result } = await answerTo(response);
      expect(result).toEqual({
        protocolVersion: "2025-11-25",
        capabilities: expect.objectContaining({ tools: expect.any(Object), logging: {} }),
        serverInfo: { name: "Countersign AI Identity Gateway", version: expect.any(String) },
      });
    });

    test("begins also when the answer to initialize is a stream", async () => {
      const headers = { ...it().agent.stream, accept: "text/event-stream" };
      const response = await post(it().us, initialize(), headers);
      expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
      expect(response.headers.get(SESSION_HEADER)).toMatch(/^[\w-]{43}$/);
      expect((await answerTo(response)).result?.protocolVersion).toBe("2025-11-25");
    });

    test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
      "is of the revision %s when the client asks for it, and serves it",
      async (version) => {
        const { result } = await answerTo(await post(it().us, initialize(version), it().agent.stream));
        expect(result?.protocolVersion).toBe(version);
        const opened = await open(version);
        expect((await answerTo(await send(request("ping"), opened))).result).toEqual({});
        const listed = (await answerTo(await send(request("tools/list"), opened))).result;
        expect(listed?.tools).toContainEqual(expect.objectContaining({ name: "upstream_listTags" }));
        // What only the stateless generation has would be unknown members here.
        for (const member of ["resultType", "ttlMs", "cacheScope", "_meta"]) expect(listed).not.toHaveProperty(member);
      },
    );

    test.each(["2026-07-28", "2024-10-07", "2099-01-01", ""])(
      "is of the latest revision with sessions when the client asks for %j",
      async (version) => {
        const { result } = await answerTo(await post(it().us, initialize(version), it().agent.stream));
        expect(result?.protocolVersion).toBe("2025-11-25");
      },
    );

    test.each([
      ["nothing", undefined],
      ["no version", { capabilities: {}, clientInfo: { name: "x", version: "1" } }],
      ["no client", { protocolVersion: "2025-11-25", capabilities: {} }],
      ["a nameless client", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { version: "1" } }],
      ["no capabilities", { protocolVersion: "2025-11-25", clientInfo: { name: "x", version: "1" } }],
    ])("does not begin with %s in initialize", async (_, params) => {
      const response = await post(it().us, request("initialize", params), it().agent.stream);
      expect(response.headers.get(SESSION_HEADER)).toBeNull();
      expect((await answerTo(response)).error?.code).toBe(-32602);
    });

    test("52. is over when the tokens and sessions of its agent are ended, whichever token comes with it, and so is its stream", async () => {
      const { us, owner } = it();
      const agent = await startAgent(owner);
      const { headers } = await openSession(us, agent.stream);
      const stream = holdsStreams ? readEvents(await listen(us, headers)) : undefined;
      const stop = { kind: "agent", id: agent.signer.clientId, state: "ended", reason: "It does harm." };
      expect((await manage(owner, "POST", "/stops", stop)).status).toBe(200);
      expect((await post(us, request("ping"), headers)).status).toBe(401);
      expect(await stream?.message()).toBeUndefined();
      const later = bearer(await issueToken(us, agent.signer, { resource: streamURL(us) }));
      expect((await openSession(us, later)).id).toBeDefined();
      const status = async () => (await post(us, request("ping"), { ...headers, ...later })).status;
      expect(await eventually(status, (answered) => answered === 404)).toBe(404);
    });

    test("is asked for by 400 where a request names none", async () => {
      const response = await post(it().us, request("ping"), it().agent.stream);
      expect(response.status).toBe(400);
      expect((await response.json()) as Message).toMatchObject({
        id: null,
        error: { code: -32000, message: expect.stringContaining(SESSION_HEADER) },
      });
    });

    test("begins anew with initialize, whatever id comes along", async () => {
      for (const stale of ["nonsense", "A".repeat(43), session.id]) {
        const response = await post(it().us, initialize(), { ...it().agent.stream, [SESSION_HEADER]: stale });
        const id = response.headers.get(SESSION_HEADER);
        expect(id).toMatch(/^[\w-]{43}$/);
        expect(id).not.toBe(stale);
        await response.text();
      }
      expect((await send(request("ping"))).status).toBe(200);
    });

    test("ends with DELETE: nothing finds it any more, and both ends are recorded under its hash", async () => {
      const ending = await open();
      expect((await terminate(it().us, ending.headers)).status).toBe(204);
      for (const response of [
        await send(request("ping"), ending),
        await send(notification("notifications/initialized"), ending),
        await terminate(it().us, ending.headers),
      ]) {
        expect(response.status).toBe(404);
        expect(await response.json()).toEqual({
          jsonrpc: "2.0",
          id: null,
          error: { code: -32001, message: "Session not found" },
        });
      }
      for (const type of ["session.started", "session.terminated"]) {
        const records = await eventually(
          () => sessionRecords(it().owner, type, hashOf(ending.id)),
          (found) => found.length > 0,
        );
        expect(records).toEqual([expect.objectContaining({ outcome: "success", agent: it().agent.signer.clientId })]);
      }
      expect((await send(request("ping"))).status).toBe(200);
    });

    test("is named in the records of its calls, never by its id, which no log shows either", async () => {
      const response = await send(request("tools/call", { name: "upstream_listTags", arguments: {} }));
      await answerTo(response);
      const records = await eventually(
        () => sessionRecords(it().owner, "tool.invoked", hashOf(session.id)),
        (found) => found.length > 0,
      );
      expect(JSON.stringify(records)).not.toContain(session.id);
      expect(it().us.logs().join("\n")).not.toContain(session.id);
    });

    test("lets pages of allowed origins read its id", async () => {
      const headers = { ...it().agent.stream, origin: it().us.url };
      const response = await post(it().us, initialize(), headers);
      expect(response.headers.get("access-control-expose-headers")).toContain(SESSION_HEADER);
      await response.text();
    });

    test("answers other methods with 405 and those that are served", async () => {
      const { us, agent } = it();
      const response = await fetch(`${us.url}/mcp`, { method: "PUT", headers: agent.stream });
      expect(response.status).toBe(405);
      const methods = (response.headers.get("allow") ?? "").split(", ");
      expect(methods).toEqual(expect.arrayContaining(["POST", "DELETE"]));
      const stream = await listen(us, session.headers);
      expect(methods.includes("GET")).toBe(stream.status === 200);
      await stream.body?.cancel();
    });
  });
}
