import { beforeEach, describe, expect, test } from "vitest";
import { auditEvent, webRequested } from "../../lib/audit/event.ts";
import { createRefusalLog, type RefusalLog } from "../../lib/audit/refusals.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { lineLogger } from "../../lib/logging/line-logger.ts";
import { jsonLine } from "../../lib/logging/log-line.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { inProcessConfiguration } from "../support/in-process.ts";

const MINUTE = 60_000;
const DENIED = {
  type: "tool.invoked",
  outcome: "denied",
  organizationId: "org_1",
  actor: "client_1",
  agent: "client_1",
  app: "notes",
  tool: "notes_get",
  reason: "policy",
} as const;

describe("42. what is refused", () => {
  let now: number;
  let written: AuditEvent[];
  let isFull: boolean;
  let refusals: RefusalLog;
  const ports = {
    configuration: () => ({ revision: 1, configuration: inProcessConfiguration }),
    clock: { now: () => now },
    random: webCryptoRandom,
    logger: lineLogger({ level: "error", format: jsonLine, write: () => undefined, clock: systemClock, soid: "test" }),
    stores: {
      auditLog: {
        append: async (event: AuditEvent) => {
          if (isFull) throw new Error("full");
          written.unshift(event);
        },
      },
    },
  };
  beforeEach(() => {
    now = Date.UTC(2027, 0, 1);
    written = [];
    isFull = false;
    refusals = createRefusalLog(ports);
  });

  const refuse = async (fields: Partial<AuditEvent> = {}, times = 1) => {
    for (let i = 0; i < times; i++)
      await refusals.record(auditEvent(ports, { ...DENIED, requestId: `request-${i}`, ...fields }));
  };
  const later = async (milliseconds: number) => {
    now += milliseconds;
    await refusals.flushDue();
  };
  const counts = () => written.map(({ count }) => count);
  const total = () => written.reduce((sum, { count = 1 }) => sum + count, 0);

  test("is recorded the first time, and then counted by the minute with what the refusals share", async () => {
    await refuse({ details: { policy: "limit", tokenId: "tok_1" } });
    await refuse({ details: { policy: "limit", tokenId: "tok_2" } }, 2);
    await refuse({ details: { policy: "limit", tokenId: "tok_3" } });
    expect(written).toMatchObject([{ requestId: "request-0", details: { tokenId: "tok_1" } }]);
    await later(MINUTE - 1);
    expect(written).toHaveLength(1);
    await later(1);
    const [counted, first] = written;
    const { id, time } = counted ?? {};
    const since = first?.time;
    expect(counted).toEqual({ ...DENIED, id, time, count: 3, since, details: { policy: "limit" }, region: "us" });
    expect(time).toBe((since ?? 0) + MINUTE);
  });

  test("goes on being counted while it goes on, and is recorded at once after a minute without", async () => {
    await refuse({}, 3);
    await later(MINUTE);
    await refuse({}, 5);
    await later(MINUTE);
    expect(counts()).toEqual([5, 2, undefined]);
    await later(MINUTE);
    await refuse();
    expect(counts()).toEqual([undefined, 5, 2, undefined]);
  });

  test("is told apart by who, what and why", async () => {
    const others: readonly Partial<AuditEvent>[] = [
      {},
      { tool: "notes_list" },
      { actor: "client_2" },
      { user: "user_1" },
      { reason: "insufficient_scope" },
      { details: { policy: "other" } },
      { details: { issuer: "https://idp.example" } },
    ];
    for (const other of others) await refuse(other, 2);
    expect(written).toHaveLength(7);
    await refusals.flush();
    expect(total()).toBe(14);
  });

  test("of web apps is told apart by location, and not by the path, host or status that a caller chooses", async () => {
    const ask = (path: string, location: string) =>
      refuse({
        ...webRequested({ app: "payroll", method: "GET", host: `${path.length}.example`, path, location, status: 403 }),
        actor: "user_1",
      });
    for (let i = 0; i < 1_000; i++) await ask(`/admin/${"x".repeat(i)}`, "/admin");
    await ask("/reports", "/reports");
    expect(written.map(({ details }) => details?.location)).toEqual(["/reports", "/admin"]);
    await refusals.flush();
    expect(written[0]).toMatchObject({ count: 999, details: { method: "GET", location: "/admin", status: "403" } });
    expect(written[0]?.details).not.toHaveProperty("path");
  });

  test("leaves few records, whatever names one caller uses, and none is uncounted", async () => {
    for (let i = 0; i < 1_000; i++) await refuse({ tool: `notes_${i}`, details: { policy: `${i}` } });
    expect(written).toHaveLength(21);
    await refusals.flush();
    const [counted, ...others] = written;
    expect(others).toHaveLength(21);
    expect(counted).toMatchObject({ count: 979, actor: "client_1", reason: "policy" });
    expect(counted).not.toHaveProperty("tool");
  });

  test("leaves few records, however many callers and organizations there are, and none is uncounted", async () => {
    for (let i = 0; i < 3_000; i++) await refuse({ actor: `client_${i}` });
    expect(written).toHaveLength(401);
    for (let i = 0; i < 5_000; i++) await refuse({ organizationId: `org_of_${i}`, actor: `client_${i}` });
    await refusals.flush();
    expect(written.length).toBeLessThan(4_000);
    expect(total()).toBe(8_000);
    expect(written.filter(({ organizationId }) => organizationId === undefined)).toMatchObject([{ outcome: "denied" }]);
    for (const minutes of [1, 2]) await later(minutes * MINUTE);
    await refuse();
    expect(written[0]).toMatchObject(DENIED);
  });

  test("is counted while the store takes nothing, and recorded when it does again", async () => {
    isFull = true;
    await expect(refuse()).rejects.toThrow("full");
    isFull = false;
    await refuse({}, 3);
    isFull = true;
    await later(MINUTE);
    await refuse({}, 4);
    expect(counts()).toEqual([undefined]);
    isFull = false;
    await later(MINUTE);
    await later(MINUTE);
    expect(counts()).toEqual([4, 2, undefined]);
  });
});
