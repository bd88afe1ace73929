import { test } from "vitest";
import { createdSession, endSession } from "../contract/mcp-session-workings.ts";
import { openFaultyProduct } from "./support/faulty.ts";
import { CONFIGURATION } from "./support/token-requests.ts";
import { newOrganizationId } from "../contract/records.ts";
import { setTimeout as pause } from "node:timers/promises";
test("x", async () => {
  const it = await openFaultyProduct(CONFIGURATION);
  const organizationId = newOrganizationId();
  for (let i = 0; i < 12; i++) { await createdSession(it.stores(), { organizationId }); }
  await pause(1000); await it.counted();
  const s = await createdSession(it.stores(), { organizationId });
  await pause(1000);
  const w = (c: any) => { const r = Object.entries(c.rows).filter(([, n]) => (n as number) > 0); console.log(c.calls, Object.fromEntries(r), r.reduce((a, [, n]) => a + (n as number), 0)); };
  w(await it.counted());
  await endSession(it.stores(), s, s.startedAt);
  await pause(1000);
  w(await it.counted());
  await it.close();
});
