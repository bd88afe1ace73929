import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import type { McpUnderTest } from "./fixture.ts";
import { openSession, post, request, type Session } from "./session.ts";

/**
 * Connections that end otherwise than they should.
 *
 * @param options.ownServer whether nothing stands between the client and a server of ours
 */
export function connections(it: () => McpUnderTest, { ownServer }: { readonly ownServer: boolean }): void {
  describe("a connection in a session", () => {
    let session: Session;
    beforeAll(async () => {
      session = await openSession(it().us, it().agent.stream);
    });

    /** Sends a POST byte by byte as it stands, and closes the sending half behind it. */
    const sendAndClose = async (body: string, length: number): Promise<string> => {
      const { hostname, port, host } = new URL(it().us.url);
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      await once(socket, "connect");
      const headers = {
        host,
        connection: "close",
        "content-type": "application/json",
        accept: "application/json",
        "content-length": String(length),
        ...session.headers,
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      socket.end(["POST /mcp HTTP/1.1", ...lines, "", body].join("\r\n"));
      // Cut off in the middle of a body, servers may reset.
      return text(socket).catch(() => "");
    };

    // Elsewhere it is the platform's to keep the other half open.
    if (ownServer)
      test("that is half closed behind a whole request still gets the answer", async () => {
        const body = JSON.stringify(request("ping", undefined, "half"));
        const answer = await sendAndClose(body, body.length);
        expect(answer).toMatch(/^HTTP\/1\.1 200 /);
        expect(answer).toContain('"id":"half"');
      });

    test("that ends in the middle of a request is no error of ours, and harms nothing", async () => {
      const body = JSON.stringify(request("tools/call", { name: "upstream_listTags", arguments: {} }));
      const before = it().upstream.requests.length;
      expect(await sendAndClose(body.slice(0, 20), body.length)).not.toMatch(/^HTTP\/1\.1 5/);
      expect(it().upstream.requests).toHaveLength(before);
      expect((await post(it().us, request("ping"), session.headers)).status).toBe(200);
    });
  });
}
