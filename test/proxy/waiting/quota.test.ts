import { expect, test } from "vitest";
import { waitingCallQuota } from "../../../lib/upstream/waiting/quota.ts";

test("30. each principal has so many places, and all together have; a call that is over makes room", async () => {
  const room = waitingCallQuota({ calls: 3, perPrincipal: 2 });
  const first = Promise.withResolvers<void>();
  const never = new Promise<void>(() => undefined);
  expect(await room.enter("alice", first.promise)).toBe(true);
  expect(await room.enter("alice", never)).toBe(true);
  expect(await room.enter("alice", never)).toBe(false);
  expect(await room.enter("bob", never)).toBe(true);
  expect(await room.enter("carol", never)).toBe(false);
  first.resolve();
  await first.promise;
  expect(await room.enter("carol", never)).toBe(true);
  expect(await room.enter("alice", never)).toBe(false);
});
