import { describe, expect, test } from "vitest";
import { auditEvent } from "../../lib/audit/event.ts";
import { rpc } from "../behaviour/gateway-fixture.ts";
import { withOwnExchange } from "../gateway/credentials/own-exchange.ts";

const it = withOwnExchange();

const statusOf = async (text: string) => (await it.gateway.call("getNote", { noteId: "1" }, text)).status;

describe("40. with a cached credential", () => {
  test.each(["token", "chain"] as const)("a %s that was revoked stops with the next call", async (what) => {
    const { text, record } = await it.token();
    for (let n = 0; n < 2; n++)
      expect((await rpc(await it.gateway.call("getNote", { noteId: "1" }, text))).result).toBeDefined();
    const { dependencies } = it.gateway;
    const event = auditEvent(dependencies, { type: "token.revoked", outcome: "success" });
    const before = it.upstream.requests.length;
    await dependencies.stores.tokens.end({ what, lineage: record, expiresAt: record.expiresAt, event });
    expect(await statusOf(text)).toBe(401);
    expect(it.upstream.requests).toHaveLength(before);
  });

  test("a token that expired stops with it", async () => {
    const { text, record } = await it.token({ lifetime: 30_000 });
    expect(await statusOf(text)).toBe(200);
    it.gateway.clock.set(record.expiresAt);
    expect(await statusOf(text)).toBe(401);
  });
});
