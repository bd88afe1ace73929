import { expect, test } from "vitest";
import { lastUseOf } from "../../console/pages/api-client/key-pairs.ts";
import { holdsFor } from "../../console/pages/api-client/limits-of-client.ts";
import type { LimitSetting } from "../../lib/management/schemas/gateway-settings.ts";

test.each<[about: LimitSetting["for"], holds: boolean]>([
  [undefined, true],
  [{}, true],
  [{ app: "board", tool: "/post.*/" }, true],
  [{ client: "client_1" }, true],
  [{ client: ["client_2", "client_1"], organization: "org_1" }, true],
  [{ client: "client_2" }, false],
  [{ client: [] }, false],
  [{ client: "client_1", organization: ["org_2"] }, false],
  [{ person: "user_1" }, false],
  [{ agent: "client_1" }, false],
])("51. of an API client's limits, shown in the Console, one about %j is one: %s", (about, holds) => {
  const limit = { name: "x", ...(about !== undefined && { for: about }) };
  expect(holdsFor(limit, "client_1", "org_1")).toBe(holds);
});

test("an API client was last used when the last of its key pairs was", () => {
  const pair = {
    keyPairId: "key_1",
    fingerprint: "f",
    status: "active",
    createdAt: "2026-01-01T00:00:00.000Z",
  } as const;
  expect(lastUseOf([])).toBeUndefined();
  expect(lastUseOf([pair])).toBeUndefined();
  const hours = ["2026-03-01T10:00:00.000Z", "2026-03-02T09:00:00.000Z", "2026-02-28T23:00:00.000Z"];
  expect(lastUseOf([pair, ...hours.map((lastUsedAt) => ({ ...pair, lastUsedAt }))])).toBe(hours[1]);
});
