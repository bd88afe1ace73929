import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionSignal } from "../../lib/stores/session-channel.ts";
import { createdSession, endSession } from "../contract/mcp-session-workings.ts";
import { mcpSession } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenSessions, openSessions } from "./support/sessions.ts";

const cancelled = (requestId: number): SessionSignal => ({ kind: "cancelled", requestId });

describe("the channel between the requests of a session on Workers", () => {
  let it: OpenSessions;
  beforeAll(async () => {
    it = await openSessions();
  });
  afterAll(() => it.close());

  const evict = (name: string, webSockets: "close" | "hibernate") =>
    it.worker.evictDurableObject("MCP_SESSIONS", { name, webSockets });

  test("carries each signal to all who follow, in order, and to nobody else", async () => {
    const [{ sessionHash }, other] = [await createdSession(it.stores), await createdSession(it.stores)];
    const [one, two, foreign] = [
      await it.follow(sessionHash),
      await it.follow(sessionHash),
      await it.follow(other.sessionHash),
    ];
    for (const id of [1, 2, 3]) expect(await it.publish(sessionHash, cancelled(id))).toBe(2);
    expect(await it.publish(other.sessionHash, cancelled(4))).toBe(1);
    for (const id of [1, 2, 3]) {
      expect(await one.next()).toEqual(cancelled(id));
      expect(await two.next()).toEqual(cancelled(id));
    }
    expect(await foreign.next()).toEqual(cancelled(4));
  });

  test("loses nobody when the object sleeps, as often as it does, and the session is as it was", async () => {
    const session = await createdSession(it.stores);
    const { sessionHash } = session;
    const follower = await it.follow(sessionHash);
    for (const id of [1, 2, 3]) {
      await evict(sessionHash, "hibernate");
      expect(await it.publish(sessionHash, cancelled(id))).toBe(1);
      expect(await follower.next()).toEqual(cancelled(id));
    }
    expect(await it.stores.mcpSessions.use(session, session.startedAt)).toEqual(session);
    await evict(sessionHash, "hibernate");
    expect(await endSession(it.stores, session, session.startedAt)).toBe(true);
    expect(await follower.next()).toEqual({ kind: "ended" });
  });

  test("tells who follows when the object ends, and they can follow the session again", async () => {
    const session = await createdSession(it.stores);
    const { sessionHash } = session;
    const follower = await it.follow(sessionHash);
    await evict(sessionHash, "close");
    expect(await follower.next()).toBe("lost");
    expect(await it.publish(sessionHash, cancelled(1))).toBe(0);
    const again = await it.follow(sessionHash);
    expect(await it.publish(sessionHash, cancelled(2))).toBe(1);
    expect(await again.next()).toEqual(cancelled(2));
    expect(await it.stores.mcpSessions.use(session, session.startedAt)).toEqual(session);
  });

  test("carries nothing more to who has stopped", async () => {
    const { sessionHash } = await createdSession(it.stores);
    const [stopping, staying] = [await it.follow(sessionHash, 1), await it.follow(sessionHash)];
    expect(await it.publish(sessionHash, cancelled(1))).toBe(2);
    expect([await stopping.next(), await stopping.next()]).toEqual([cancelled(1), "stopped"]);
    await eventually(
      () => it.publish(sessionHash, cancelled(2)),
      (told) => told === 1,
    );
    expect([await staying.next(), await staying.next()]).toEqual([cancelled(1), cancelled(2)]);
    expect(await stopping.next()).toBe("lost");
  });

  test("tells who follows that the session was ended, and is closed then", async () => {
    const session = await createdSession(it.stores);
    const follower = await it.follow(session.sessionHash);
    expect(await endSession(it.stores, session, session.startedAt)).toBe(true);
    expect(await follower.next()).toEqual({ kind: "ended" });
    expect(await follower.next()).toBe("lost");
    expect(await it.publish(session.sessionHash, cancelled(1))).toBe(0);
  });

  test("tells at once that a session ended before it was followed", async () => {
    const session = await createdSession(it.stores);
    await endSession(it.stores, session, session.startedAt);
    for (const { sessionHash } of [session, mcpSession()]) {
      const follower = await it.follow(sessionHash);
      expect([await follower.next(), await follower.next()]).toEqual([{ kind: "ended" }, "lost"]);
    }
  });

  test.each(["x", "ü", "漢", "😀"])("carries a message of 4 MiB of %j whole", async (character) => {
    const { sessionHash } = await createdSession(it.stores);
    const follower = await it.follow(sessionHash);
    const text = character.repeat((4 * 1024 * 1024) / new TextEncoder().encode(character).length);
    const signal: SessionSignal = { kind: "message", message: { text } };
    expect(await it.publish(sessionHash, signal)).toBe(1);
    const heard = await follower.next();
    // Compared apart: a difference of millions of characters is of no use to anybody.
    expect(JSON.stringify(heard) === JSON.stringify(signal)).toBe(true);
    expect(await it.publish(sessionHash, cancelled(1))).toBe(1);
    expect(await follower.next()).toEqual(cancelled(1));
  });

  test("hands a signal to nobody when the object cannot be reached, and following it fails", async () => {
    const { sessionHash } = await createdSession(it.stores);
    expect(await it.publish(`${sessionHash}?unreachable`, cancelled(1))).toBe(0);
    await expect(it.follow(`${sessionHash}?unreachable`)).rejects.toThrow("Following was answered with 500.");
  });
});
