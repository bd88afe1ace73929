import { afterAll, beforeAll, expect, test } from "vitest";
import { type AuditReader, recordsFor } from "../../lib/audit/instance-access.ts";
import { createFirstOwner } from "../../lib/directory/organizations.ts";
import { ulid } from "../../lib/kernel/ids.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { MINUTE, openTestInstance, type TestInstance } from "./instance.ts";

let instance: TestInstance;
let organizationId: string;
let createdAt: number;

/** A call, by an agent named for its number, of the organization or of nobody. */
async function called(number: number, organizationId?: string): Promise<void> {
  const { stores, clock, random } = instance.dependencies;
  const time = clock.now();
  const owned = organizationId !== undefined && { organizationId };
  const event = { id: ulid(time, random), time, type: "tool.invoked", outcome: "success", agent: `agent-${number}` };
  await stores.auditLog.append({ ...event, ...owned } as AuditEvent);
  instance.advance(MINUTE);
}

beforeAll(async () => {
  instance = openTestInstance();
  for (const number of [1, 2, 3]) await called(number);
  const email = "owner@example.com";
  const first = await createFirstOwner(instance.dependencies, { organization: "Acme", email, actor: "operator:test" });
  organizationId = first?.organization.organizationId as string;
  createdAt = first?.organization.createdAt as number;
  instance.advance(MINUTE);
  for (const number of [4, 5]) await called(number, organizationId);
  await called(6);
});
afterAll(() => instance.close());

async function agentsOf(reader: Partial<AuditReader>, limit: number, more: object = {}): Promise<readonly string[]> {
  const conditions = { type: "tool.invoked", instance: false, ...more };
  const read = await recordsFor(instance.dependencies, { organizationId, role: "owner", ...reader }, conditions);
  const found: AuditEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit, ...(cursor !== undefined && { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found.map(({ agent = "" }) => agent.replace("agent-", ""));
}

test.each([1, 2, 3, 4, 5, 100])(
  "owners of the first organization find what was before it, in pages of %i",
  async (limit) => {
    expect(await agentsOf({}, limit)).toEqual(["5", "4", "3", "2", "1"]);
  },
);

test("the first page counts both, and later ones nothing", async () => {
  const total = async (limit: number, reader: Partial<AuditReader> = {}) => {
    const conditions = { type: "tool.invoked", instance: false };
    const read = await recordsFor(instance.dependencies, { organizationId, role: "owner", ...reader }, conditions);
    const first = await read({ limit, withTotal: true });
    const { nextCursor: cursor } = first;
    const second = cursor === undefined ? undefined : await read({ limit, withTotal: true, cursor });
    return [first.total, second?.total];
  };
  for (const limit of [1, 2, 3]) expect(await total(limit)).toEqual([{ count: 5, isExact: true }, undefined]);
  expect(await total(100)).toEqual([{ count: 5, isExact: true }, undefined]);
  expect(await total(2, { role: "member" })).toEqual([{ count: 2, isExact: true }, undefined]);
});

test("the time that is asked for counts for both", async () => {
  expect(await agentsOf({}, 2, { to: createdAt })).toEqual(["3", "2", "1"]);
  expect(await agentsOf({}, 2, { from: createdAt })).toEqual(["5", "4"]);
  expect(await agentsOf({}, 2, { from: createdAt - 2.5 * MINUTE, to: createdAt + 2 * MINUTE })).toEqual([
    "4",
    "3",
    "2",
  ]);
});

test("nobody else finds it: members, API clients, and owners of others", async () => {
  for (const reader of [{ role: "member" as const }, { role: undefined as never }]) {
    expect(await agentsOf(reader, 2)).toEqual(["5", "4"]);
  }
  expect(await agentsOf({ organizationId: "org_of-others" }, 2)).toEqual([]);
});

test("the records of the instance are still those of nobody, of any time", async () => {
  expect(await agentsOf({}, 2, { instance: true })).toEqual(["6", "3", "2", "1"]);
});
