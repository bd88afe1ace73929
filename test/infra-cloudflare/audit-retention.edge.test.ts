import { afterAll, beforeAll, expect, test } from "vitest";
import { auditEvent, newOrganizationId } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import { CONFIGURATION, VARIABLES } from "./support/token-requests.ts";

const DAY = 86_400_000;

let it: OpenFaultyProduct;
beforeAll(async () => {
  it = await openFaultyProduct(`${CONFIGURATION}audit: {retention: 30d}\n`, VARIABLES);
});
afterAll(() => it.close());

test("53. shards of days that are too old are deleted by the registry's alarm, and their numbers are kept", async () => {
  const { auditLog } = it.stores("owner");
  const organizationId = newOrganizationId();
  const old = Date.now() - 32 * DAY;
  const refused = { type: "token.refused", outcome: "refused" } as const;
  for (let i = 0; i < 12; i++) await auditLog.append(auditEvent({ organizationId, time: old }));
  await auditLog.append(auditEvent({ organizationId, time: old, ...refused, count: 41, since: old }));
  const young = auditEvent({ organizationId, time: Date.now() - 29 * DAY });
  await auditLog.append(young);
  // An erased shard whose answer was lost is erased again.
  await it.set({ binding: "AUDIT_SHARDS", method: "erase", how: "lose", times: 1 });
  await it.worker.fetch("/oauth2/token");
  const items = async () => (await auditLog.query({ organizationId }, { limit: 100 })).items;
  expect(await eventually(items, (some) => some.length < 2)).toEqual([young]);
  const day = new Date(old).toISOString().slice(0, 10);
  expect(await auditLog.kept({ organizationId, from: day, to: day })).toEqual([
    { day, type: "api_client.updated", outcome: "success", count: 12 },
    { day, ...refused, count: 41 },
  ]);
  const late = auditEvent({ organizationId, time: old });
  await auditLog.append(late);
  expect(await items()).toEqual([young, late]);
});
