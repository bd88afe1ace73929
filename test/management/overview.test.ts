import { afterAll, beforeAll, expect, test } from "vitest";
import type { Overview, OverviewRange } from "../../lib/management/schemas/overview.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { auditEvent } from "../contract/records.ts";
import { type CallerName, startWorld, type World } from "./people.ts";

const HOUR = 3_600_000;

let world: World;
beforeAll(async () => {
  world = await startWorld();
  const { stores } = world.product.dependencies;
  const { organizationId } = world;
  const now = world.product.clock.now();
  const record = (fields: Partial<AuditEvent>, ago = 0) => {
    const time = now - ago;
    const { id } = auditEvent({ time });
    return stores.auditLog.append(auditEvent({ organizationId, id, time, type: "tool.invoked", ...fields }));
  };
  const lend = { app: "library", tool: "library__lend" };
  const read = { app: "ledger", tool: "ledger__read" };
  await record({ ...lend, outcome: "success", durationMs: 10 });
  await record({ ...lend, outcome: "tool_error", durationMs: 30 });
  await record({ ...lend, outcome: "upstream_error", reason: "timeout", durationMs: 2_000 });
  await record({ ...lend, outcome: "cancelled", durationMs: 1 });
  await record({ ...lend, outcome: "denied", reason: "policy", count: 7, since: now });
  await record({
    ...read,
    outcome: "denied",
    reason: "limited",
    details: { limit: "a client" },
    count: 20,
    since: now,
  });
  await record({ ...read, outcome: "denied", reason: "limited", count: 3, since: now });
  await record({ ...read, outcome: "success", durationMs: 50 }, 5 * HOUR);
  await record({ ...lend, outcome: "success", durationMs: 100_000 }, 5 * 24 * HOUR);
  await record({ ...lend, outcome: "denied", reason: "policy" }, 20 * 24 * HOUR);
  await record({ type: "token.refused", outcome: "refused", reason: "expired" });
});
afterAll(() => world.product.close());

test("an overview tells denied calls from failed ones, and names slow and refused tools, limits and upstreams", async () => {
  const { period, lastHour } = await overviewOf("a member", "1h");
  expect(totals(period)).toEqual({ succeeded: 1, denied: 30, failed: 3, refused: 1 });
  expect(period.slowestTools).toEqual([
    { tool: "library__lend", app: "library", calls: 4, averageMs: 510, longestMs: 2_000 },
  ]);
  expect(period.mostRefusedTools).toEqual([
    { tool: "ledger__read", app: "ledger", denied: 23, reasons: [{ reason: "limited", count: 23 }] },
    { tool: "library__lend", app: "library", denied: 7, reasons: [{ reason: "policy", count: 7 }] },
  ]);
  expect(period.limits).toEqual([{ limit: "a client", count: 20 }, { count: 3 }]);
  expect(period.upstreams).toMatchObject([{ app: "library", answered: 2, failed: 1 }]);
  expect(lastHour?.toolCalls.reduce((all, { failed }) => all + failed, 0)).toBe(33);
});

test.each<[OverviewRange, object]>([
  ["24h", { succeeded: 2, denied: 30 }],
  ["7d", { succeeded: 3, denied: 30 }],
  ["30d", { succeeded: 3, denied: 31 }],
])("an overview of %s counts what is as old", async (range, expected) => {
  const { period, lastHour } = await overviewOf("an owner", range);
  expect(totals(period)).toMatchObject(expected);
  expect([period.isComplete, period.countedFrom, lastHour]).toEqual([true, undefined, undefined]);
});

test("an overview counts nothing of other organizations", async () => {
  const { period } = await overviewOf("an owner of another organization", "30d");
  expect(totals(period)).toEqual({ succeeded: 0, denied: 0, failed: 0, refused: 0 });
  expect([period.slowestTools, period.limits, period.upstreams]).toEqual([[], [], []]);
});

async function overviewOf(caller: CallerName, range: OverviewRange): Promise<Overview> {
  const headers = await world.callers[caller].credentials();
  const answer = await world.product.send(`/api/v1/overview?range=${range}`, { headers });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Overview;
}

function totals({ toolCalls, tokenRequests }: Overview["period"]) {
  const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);
  return {
    succeeded: sum(toolCalls.map(({ succeeded }) => succeeded)),
    denied: sum(toolCalls.map(({ denied }) => denied)),
    failed: sum(toolCalls.map(({ failed }) => failed)),
    refused: sum(tokenRequests.map(({ refused }) => refused)),
  };
}
