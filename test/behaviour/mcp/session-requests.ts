import { beforeAll, describe, expect, test } from "vitest";
import { answerTo, type Message } from "./events.ts";
import type { McpUnderTest } from "./fixture.ts";
import { notification, openSession, post, request, type Session } from "./session.ts";

const LIST_TAGS = expect.objectContaining({ name: "upstream_listTags" });

/** Messages of the revisions with a handshake, in a session (MCP 2025-11-25, Base Protocol). */
export function sessionRequests(it: () => McpUnderTest): void {
  describe("a session", () => {
    let session: Session;
    const send = (body: unknown, { headers }: Pick<Session, "headers"> = session) => post(it().us, body, headers);

    beforeAll(async () => {
      session = await openSession(it().us, it().agent.stream);
    });

    test("does not mind which served revision its requests name, nor that they name none", async () => {
      for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
        const headers = { ...session.headers, "mcp-protocol-version": version };
        expect((await answerTo(await send(request("ping"), { headers }))).result).toEqual({});
      }
      const { "mcp-protocol-version": _, ...headers } = session.headers;
      expect((await answerTo(await send(request("ping"), { headers }))).result).toEqual({});
    });

    test.each(["1999-01-01", "nonsense", "2024-10-07"])("refuses the revision %s in a request", async (version) => {
      const headers = { ...session.headers, "mcp-protocol-version": version };
      const response = await send(request("ping"), { headers });
      expect(response.status).toBe(400);
      expect(((await response.json()) as Message).error?.message).toContain("2025-11-25");
    });

    test("takes notifications and answers to nothing with 202 and no body", async () => {
      for (const message of [
        notification("notifications/initialized"),
        notification("notifications/roots/list_changed"),
        notification("notifications/cancelled", { requestId: "never was" }),
        notification("notifications/cancelled"),
        { jsonrpc: "2.0", id: 7, result: {} },
        { jsonrpc: "2.0", id: "x", error: { code: 1, message: "no" } },
      ]) {
        const response = await send(message);
        expect(response.status).toBe(202);
        expect(await response.text()).toBe("");
      }
    });

    test("keeps the level that its client chooses for log messages, one of eight", async () => {
      for (const level of "debug info notice warning error critical alert emergency".split(" ")) {
        expect((await answerTo(await send(request("logging/setLevel", { level })))).result).toEqual({});
      }
      for (const level of ["verbose", "", 5, undefined]) {
        const response = await send(request("logging/setLevel", { level }));
        expect(response.status).toBe(200);
        expect((await answerTo(response)).error?.code).toBe(-32602);
      }
    });

    test("answers what it does not serve, or cannot, in the protocol", async () => {
      for (const [message, code] of [
        [request("no/such"), -32601],
        [request("prompts/list"), -32601],
        [request("server/discover"), -32601],
        [request("tools/list", { cursor: "x" }), -32602],
        [request("tools/call", { name: "nothing" }), -32602],
        [request("tools/call"), -32602],
      ] as const) {
        const response = await send(message);
        expect(response.status).toBe(200);
        expect((await answerTo(response)).error?.code).toBe(code);
      }
    });

    test.each([
      ["no JSON", "{", 400, -32700],
      ["no message", '{"hello":1}', 400, -32600],
      ["an id that is null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
      ["an id with a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600],
      ["parameters in a list", '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32600],
      ["an answer with result and error", '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', 400, -32600],
    ])("refuses %s", async (_, body, status, code) => {
      const response = await send(body);
      expect(response.status).toBe(status);
      expect(((await response.json()) as Message).error?.code).toBe(code);
    });

    test("answers 50 requests at once, each to its own", async () => {
      const ids = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? index : `request ${index}`));
      const answers = await Promise.all(
        ids.map(async (id) => {
          const name = "upstream_getNote";
          const call = request("tools/call", { name, arguments: { noteId: "1" } }, id);
          return answerTo(await send(Number(id) % 4 === 0 ? request("ping", undefined, id) : call), id);
        }),
      );
      expect(answers.map(({ id }) => id)).toEqual(ids);
      for (const { result } of answers) expect(result).toBeDefined();
    });

    test("refuses a message above 4 MB, and another content type", async () => {
      const large = request("tools/call", {
        name: "upstream_listTags",
        arguments: { text: "x".repeat(4 * 1024 * 1024) },
      });
      expect((await send(large)).status).toBe(413);
      for (const type of ["text/plain", "application/json-rpc", ""]) {
        expect((await post(it().us, request("ping"), { ...session.headers, "content-type": type })).status).toBe(415);
      }
    });

    test("has its answers in the form that the client takes", async () => {
      const list = request("tools/list");
      for (const [accept, type] of [
        ["application/json, text/event-stream", "application/json"],
        ["application/json", "application/json"],
        ["text/event-stream", "text/event-stream"],
        ["*/*", "application/json"],
      ] as const) {
        const response = await post(it().us, list, { ...session.headers, accept });
        expect(response.headers.get("content-type")).toMatch(new RegExp(`^${type}`));
        expect((await answerTo(response)).result?.tools).toContainEqual(LIST_TAGS);
      }
      expect((await post(it().us, list, { ...session.headers, accept: "text/html" })).status).toBe(406);
    });
  });
}
