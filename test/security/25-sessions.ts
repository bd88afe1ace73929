import { beforeAll, describe, expect, test } from "vitest";
import { issueToken } from "../behaviour/fixture.ts";
import { bearer } from "../behaviour/gateway-fixture.ts";
import { readEvents } from "../behaviour/mcp/events.ts";
import { type Agent, type McpUnderTest, streamURL } from "../behaviour/mcp/fixture.ts";
import { connectLegacy } from "../behaviour/mcp/legacy-connection.ts";
import { listen, notification, openSession, post, request, type Session, terminate } from "../behaviour/mcp/session.ts";
import { eventually } from "../support/eventually.ts";

/** Sessions belong to who began them, and ids are nothing that one could guess or keep. */
export function sessionsOfOthers(it: () => McpUnderTest, { streams }: { readonly streams: boolean }): void {
  describe("25. a session of another principal", () => {
    let session: Session;
    /** The session's headers with somebody else's token. */
    const stolen = ({ stream }: Agent) => ({ ...session.headers, ...stream });

    beforeAll(async () => {
      session = await openSession(it().us, it().agent.stream);
    });

    test("25. is 404 to every method, and remains what it was", async () => {
      const { us, agent, stranger } = it();
      const headers = stolen(stranger);
      expect((await post(us, request("tools/list"), headers)).status).toBe(404);
      expect((await post(us, notification("notifications/cancelled", { requestId: 1 }), headers)).status).toBe(404);
      expect((await terminate(us, headers)).status).toBe(404);
      expect((await listen(us, headers)).status).toBe(streams ? 404 : 405);
      expect((await post(us, request("ping"), stolen(agent))).status).toBe(200);
    });

    test("25. is the same to a renewed token of its own", async () => {
      const { us, agent } = it();
      const renewed = bearer(await issueToken(us, agent.signer, { resource: streamURL(us) }));
      expect(renewed.authorization).not.toBe(agent.stream.authorization);
      expect((await post(us, request("ping"), { ...session.headers, ...renewed })).status).toBe(200);
    });

    test("25. is unknown in another region", async () => {
      expect((await post(it().uk, request("ping"), session.headers)).status).toBe(401);
    });

    test("25. does not let a stranger cancel its calls", async () => {
      const { us, agent, stranger, upstream } = it();
      const call = request("tools/call", { name: "upstream_slow", arguments: {} }, "slow");
      const response = await post(us, call, stolen(agent));
      await eventually(
        async () => upstream.waiting,
        (count) => count === 1,
      );
      const cancelled = notification("notifications/cancelled", { requestId: "slow" });
      expect((await post(us, cancelled, stolen(stranger))).status).toBe(404);
      const own = await openSession(us, stranger.stream);
      expect((await post(us, cancelled, own.headers)).status).toBe(202);
      upstream.release();
      expect((await readEvents(response).rest()).at(-1)).toMatchObject({ id: "slow", result: {} });
    });

    test("25. has an id that has nothing in common with another", async () => {
      const { us, agent } = it();
      const ids = (await Promise.all(Array.from({ length: 10 }, () => openSession(us, agent.stream)))).map(
        ({ id }) => id,
      );
      const bits = ids.map((id) => BigInt(`0x${Buffer.from(id, "base64url").toString("hex")}`));
      for (const [index, one] of bits.entries()) {
        for (const other of bits.slice(index + 1)) expect(differing(one, other)).toBeGreaterThan(64);
      }
    });

    test("25. is not reached by what resembles its id", async () => {
      const { us } = it();
      const { id } = session;
      for (const guess of [id.slice(1), `${id}A`, id.toLowerCase(), `${id.slice(0, -1)}!`, `${id},${id}`]) {
        const headers = { ...session.headers, "X-Agent-Session": guess };
        expect((await post(us, request("ping"), headers)).status).toBe(404);
      }
    });

    if (streams)
      test("25. takes no messages from others over the legacy transport", async () => {
        const { us, agent, stranger } = it();
        const { send, leave } = await connectLegacy(us, agent);
        expect((await send(request("ping"), stranger.legacy)).status).toBe(404);
        expect((await send(request("ping"))).status).toBe(202);
        leave();
      });
  });
}

function differing(one: bigint, other: bigint): number {
  return (one ^ other).toString(2).replaceAll("0", "").length;
}
