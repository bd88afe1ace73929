import { describe, expect, test } from "vitest";
import { ulid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalState,
  approvalExpired,
  MOST_ARGUMENTS,
  MOST_OF_CALLER,
  newApprovalId,
  withoutArguments,
} from "../../lib/stores/approvals.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { approval, approvalEvent, newApprovalDigest, newApprovalName } from "./approval-records.ts";
import { creationThatFails, OTHERS, settleBesides } from "./beside-failure.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { recordedIn } from "./exchange-records.ts";
import { MINUTE, newOrganizationId } from "./records.ts";

/** What every implementation of `Approvals` does. */
export function approvalsContract(engine: StoreEngine): void {
  describe(`approvals on ${engine.name}`, () => {
    const opened = openedStores(engine);

    test("76. an approval reads back as it was asked for, with its event, also for another process", async () => {
      const another = await opened.another();
      const longest = approval({ arguments: JSON.stringify("ü".repeat(MOST_ARGUMENTS / 2 - 1)) });
      const { person: _, agent: __, issuer: ___, ...nobody } = approval({ organizationId: "" });
      for (const record of [approval({ memberId: "user_x", region: "us" }), longest, nobody]) {
        const event = approvalEvent("approval.requested", record);
        const requested = await opened.stores.approvals.requestApproval(record, event);
        expect(requested).toEqual({ outcome: "waits", approval: record, isNew: true });
        for (const { approvals } of [opened.stores, another]) {
          expect(await approvals.approval(record.approvalId, record.requestedAt)).toEqual(record);
          expect(await live(approvals, record)).toEqual(record);
        }
        expect(await recordedIn(opened.stores, event, 1)).toContain(event.id);
      }
    });

    test("76. what no approval is called is none", async () => {
      for (const id of ["", "approval_", "approval_x#y", newApprovalId("", ulid(1, random)), "../x"]) {
        expect(await opened.stores.approvals.approval(id, 1)).toBeUndefined();
        const { digest } = approval();
        const decision = { approvalId: id, digest, state: "approved", by: "user_y", now: 1 } as const;
        const event = approvalEvent("approval.approved", approval());
        expect(await opened.stores.approvals.decideApproval(decision, event)).toBeUndefined();
        expect(await opened.stores.approvals.consumeApproval({ approvalId: id, digest, now: 1 }, event, event)).toBe(
          false,
        );
      }
    });

    test("76. of 50 parallel requests of one call, by two processes, one is kept, with one event", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const one = approval();
      const same = Array.from({ length: 50 }, () => ({ ...one, approvalId: newApprovalName(one.organizationId) }));
      const results = await Promise.all(same.map((record, i) => request(processes[i % 2] as Stores, record)));
      const ids = new Set(results.map((result) => (result.outcome === "waits" ? result.approval.approvalId : "")));
      expect(ids.size).toBe(1);
      expect(await recordedIn(opened.stores, requestedIn(one), 1)).toHaveLength(1);
      const other = { ...one, approvalId: newApprovalName(one.organizationId), digest: newApprovalDigest() };
      expect(await request(opened.stores, other)).toMatchObject({ outcome: "waits", isNew: true });
    });

    test("76. only what is pending is decided, only by its digest, and each decision has its event", async () => {
      const { approvals } = opened.stores;
      for (const state of ["approved", "refused"] as const) {
        const record = await waiting(opened.stores);
        const now = record.requestedAt + MINUTE;
        expect(await decide(opened.stores, record, state, { digest: newApprovalDigest() })).toBeUndefined();
        const decided = await decide(opened.stores, record, state, { now });
        const after = { ...record, state, decidedBy: "user_owner", decidedAt: now, expiresAt: now + record.lifetime };
        expect(decided).toEqual(state === "approved" ? after : withoutArguments(after));
        expect(await approvals.approval(record.approvalId, now)).toEqual(decided);
        expect(await live(approvals, record)).toEqual(decided);
        for (const again of ["approved", "refused"] as const)
          expect(await decide(opened.stores, record, again, { now })).toBeUndefined();
        expect(await recordedIn(opened.stores, { ...requestedIn(record), type: `approval.${state}` }, 1)).toHaveLength(
          1,
        );
      }
    });

    test("76. of 50 parallel decisions, by two processes, one counts, with one event", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const record = await waiting(opened.stores);
      const states = Array.from({ length: 50 }, (_, i): ApprovalDecision["state"] => (i % 3 ? "approved" : "refused"));
      const results = await Promise.all(
        states.map((state, i) => decide(processes[i % 2] as Stores, record, state, { by: `user_${i}` })),
      );
      const [winner, second] = results.filter((result) => result !== undefined);
      expect([winner?.state, second]).toEqual([expect.stringMatching(/approved|refused/), undefined]);
      expect(await opened.stores.approvals.approval(record.approvalId, record.requestedAt)).toEqual(winner);
      const { organizationId } = record;
      const found = await recordedIn(
        opened.stores,
        { organizationId, type: `approval.${winner?.state}` as AuditEvent["type"] },
        1,
      );
      expect(found).toHaveLength(1);
    });

    test("76. of 50 parallel uses of one approval, by two processes, one begins the call, with its intent", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const record = await waiting(opened.stores);
      await decide(opened.stores, record, "approved");
      const intents = Array.from({ length: 50 }, () => intentOf(record));
      const results = await Promise.all(
        intents.map((intent, i) => consume(processes[i % 2] as Stores, record, intent)),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      const intent = intents[results.indexOf(true)] as AuditEvent;
      const { organizationId, approvalId, requestedAt } = record;
      for (const type of ["tool.invoked", "approval.consumed"] as const)
        expect(await recordedIn(opened.stores, { organizationId, type }, 1)).toHaveLength(1);
      const used = await opened.stores.approvals.approval(approvalId, requestedAt);
      expect(used).toMatchObject({ state: "consumed", callId: intent.id });
      expect(used).not.toHaveProperty("arguments");
      expect(await live(opened.stores.approvals, record)).toBeUndefined();
    });

    test("76. the intent of a call reads unknown until it is completed, whoever brings it to the log last", async () => {
      const record = await waiting(opened.stores);
      await decide(opened.stores, record, "approved");
      const intent = intentOf(record);
      expect(await consume(opened.stores, record, intent)).toBe(true);
      const { auditLog } = opened.stores;
      const outcomes = async () => {
        const { items } = await auditLog.query(
          { organizationId: record.organizationId, type: "tool.invoked" },
          { limit: 9 },
        );
        return items.map(({ outcome }) => outcome);
      };
      expect(await outcomes()).toEqual(["unknown"]);
      await auditLog.complete(intent, { outcome: "success", durationMs: 3 });
      expect(await outcomes()).toEqual(["success"]);
      // Deliveries of the consumption are over by then.
      await recordedIn(opened.stores, { organizationId: record.organizationId, type: "approval.consumed" }, 1);
      expect(await outcomes()).toEqual(["success"]);
    });

    test("76. what became of a begun call is kept once, and of no other", async () => {
      const { stores } = opened;
      const { approvals } = stores;
      const pending = await waiting(stores);
      const begun = await waiting(stores, { call: "sealed" });
      await decide(stores, begun, "approved");
      expect(await approvals.approval(begun.approvalId, begun.requestedAt)).toMatchObject({ call: "sealed" });
      const listed = async () => {
        const { organizationId, requestedAt: now } = begun;
        return (await approvals.listApprovals({ organizationId, now }, { limit: 9 })).items;
      };
      expect(await listed()).toMatchObject([{ approvalId: begun.approvalId, arguments: begun.arguments }]);
      expect((await listed())[0]).not.toHaveProperty("call");
      expect(await consume(stores, begun)).toBe(true);
      for (const { approvalId } of [pending, begun, { approvalId: "approval_x" }]) {
        await approvals.keepOutcome(approvalId, "first", "consumed");
        await approvals.keepOutcome(approvalId, "second", "consumed");
      }
      const after = await approvals.approval(begun.approvalId, begun.requestedAt);
      expect(after).toMatchObject({ state: "consumed", outcome: "first", begunAt: begun.requestedAt });
      expect(after).not.toHaveProperty("call");
      expect((await listed())[0]).not.toHaveProperty("outcome");
      expect(await approvals.approval(pending.approvalId, pending.requestedAt)).toEqual(pending);
    });

    test("76. a task that has ended begins no call, and its agent may without it", async () => {
      const { stores } = opened;
      const { approvals } = stores;
      const record = await waiting(stores, { call: "sealed" });
      const { approvalId, digest, requestedAt: now } = record;
      await approvals.keepOutcome(approvalId, "too early", "approved");
      await decide(stores, record, "approved");
      await approvals.keepOutcome(approvalId, "of no call", "consumed");
      await approvals.keepOutcome(approvalId, "refused", "approved");
      expect(await approvals.approval(approvalId, now)).toMatchObject({ state: "approved", outcome: "refused" });
      const event = approvalEvent("approval.consumed", record);
      const use = (byTask: boolean) =>
        approvals.consumeApproval({ approvalId, digest, now, byTask }, intentOf(record), event);
      expect([await use(true), await use(false)]).toEqual([false, true]);
      await approvals.keepOutcome(approvalId, "made", "consumed");
      expect(await approvals.approval(approvalId, now)).toMatchObject({ state: "consumed", outcome: "refused" });
    });

    test("76. its agent withdraws what waits or may be used, once, with an event; then another request is kept", async () => {
      const { stores } = opened;
      const withdraw = (record: ApprovalRecord) => {
        const event = approvalEvent("approval.withdrawn", record);
        return stores.approvals.withdrawApproval(record.approvalId, record.requestedAt + 1, event);
      };
      const [pending, approved, refused, begun] = [
        await waiting(stores, { call: "sealed" }),
        await waiting(stores),
        await waiting(stores),
        await waiting(stores),
      ];
      await decide(stores, approved, "approved");
      await decide(stores, refused, "refused");
      await decide(stores, begun, "approved");
      await consume(stores, begun);
      for (const record of [refused, begun, approval()]) expect(await withdraw(record)).toBe(false);
      for (const record of [pending, approved]) {
        expect([await withdraw(record), await withdraw(record)]).toEqual([true, false]);
        const after = await stores.approvals.approval(record.approvalId, record.requestedAt + 1);
        expect(after).toMatchObject({ state: "expired", isWithdrawn: true, expiresAt: record.requestedAt + 1 });
        expect(after).not.toHaveProperty("arguments");
        expect(after).not.toHaveProperty("call");
        expect(await decide(stores, record, "approved")).toBeUndefined();
        expect(await recordedIn(stores, { ...requestedIn(record), type: "approval.withdrawn" }, 1)).toHaveLength(1);
        const again = { ...record, approvalId: newApprovalName(record.organizationId) };
        expect(await request(stores, again)).toMatchObject({ outcome: "waits", isNew: true });
      }
    });

    test("76. nothing but an approved call of the same digest is begun", async () => {
      const { stores } = opened;
      const refused = await waiting(stores);
      await decide(stores, refused, "refused");
      const approved = await waiting(stores);
      await decide(stores, approved, "approved");
      expect(await consume(stores, await waiting(stores))).toBe(false);
      expect(await consume(stores, refused)).toBe(false);
      expect(await consume(stores, { ...approved, digest: newApprovalDigest() })).toBe(false);
      expect(await consume(stores, { ...approved, approvalId: newApprovalName(approved.organizationId) })).toBe(false);
      expect(await consume(stores, approved)).toBe(true);
      expect(await consume(stores, approved)).toBe(false);
    });

    test("76. what nobody decided in time, or nobody used, is over", async () => {
      const { approvals } = opened.stores;
      const pending = await waiting(opened.stores);
      const approved = await waiting(opened.stores);
      await decide(opened.stores, approved, "approved");
      for (const record of [pending, approved]) {
        const last = await approvals.approval(record.approvalId, record.expiresAt - 1);
        const now = last?.expiresAt ?? 0;
        expect(await approvals.approval(record.approvalId, now)).toMatchObject({ state: "expired" });
        expect(await approvals.approval(record.approvalId, now)).not.toHaveProperty("arguments");
        expect(await approvals.liveApproval(record.organizationId, record.digest, now)).toBeUndefined();
        expect(await decide(opened.stores, record, "approved", { now })).toBeUndefined();
        expect(await consume(opened.stores, { ...record, requestedAt: now })).toBe(false);
        const again = { ...record, approvalId: newApprovalName(record.organizationId), requestedAt: now };
        expect(await request(opened.stores, again)).toMatchObject({ outcome: "waits", isNew: true });
      }
    });

    test("76. one person and agent have so many live ones, whatever is decided on them, and no more; others have theirs", async () => {
      const one = approval();
      const next = (fields: Partial<ApprovalRecord> = {}) =>
        request(opened.stores, {
          ...one,
          approvalId: newApprovalName(one.organizationId),
          digest: newApprovalDigest(),
          ...fields,
        });
      for (let i = 0; i < MOST_OF_CALLER; i++) expect(await next()).toMatchObject({ outcome: "waits" });
      const { items } = await opened.stores.approvals.listApprovals(
        { organizationId: one.organizationId, now: one.requestedAt },
        { limit: 2 },
      );
      const [refused, approved] = items as [ApprovalRecord, ApprovalRecord];
      expect(await decide(opened.stores, refused, "refused")).toBeDefined();
      expect(await decide(opened.stores, approved, "approved")).toBeDefined();
      expect(await next()).toEqual({ outcome: "too_many", of: "caller" });
      for (const other of [
        { agent: "client_other" },
        { person: "user_other" },
        { organizationId: newOrganizationId() },
      ])
        expect(await next(other)).toMatchObject({ outcome: "waits" });
      const later = one.requestedAt + one.lifetime;
      expect(await next({ requestedAt: later, expiresAt: later + one.lifetime })).toMatchObject({ outcome: "waits" });
    });

    test("76. lists have the newest first, in pages, of one organization and of one state", async () => {
      const organizationId = newOrganizationId();
      const made: ApprovalRecord[] = [];
      for (let i = 0; i < 5; i++)
        made.unshift(await waiting(opened.stores, { organizationId, requestedAt: 1_000_000 + i }));
      await waiting(opened.stores);
      const [newest, second] = made as [ApprovalRecord, ApprovalRecord];
      await decide(opened.stores, newest, "approved");
      await decide(opened.stores, second, "refused");
      const { approvals } = opened.stores;
      const now = 1_000_010;
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await approvals.listApprovals({ organizationId, now }, { limit: 2, ...(cursor && { cursor }) });
        found.push(...page.items.map(({ approvalId }) => approvalId));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(found).toEqual(made.map(({ approvalId }) => approvalId));
      const count = async (state: ApprovalState, at = now) =>
        (await approvals.listApprovals({ organizationId, state, now: at }, { limit: 9 })).items.length;
      const counts = { pending: 3, approved: 1, refused: 1, expired: 0, consumed: 0 };
      for (const [state, expected] of Object.entries(counts))
        expect(await count(state as ApprovalState)).toBe(expected);
      expect(await count("expired", now + 60 * MINUTE)).toBe(4);
      expect(await count("pending", now + 60 * MINUTE)).toBe(0);
    });

    test("76. an approval that has expired for one clock is used by the other, once", async () => {
      const ahead = await opened.another(MINUTE);
      const record = await waiting(opened.stores, { lifetime: 30_000 });
      const now = record.requestedAt;
      await decide(opened.stores, record, "approved", { now });
      expect(await consume(ahead, { ...record, requestedAt: now + MINUTE })).toBe(false);
      expect(await consume(opened.stores, record)).toBe(true);
      expect(await consume(ahead, record)).toBe(false);
    });

    test("76. approvals that are asked for beside a failing write are kept", async () => {
      const organizationId = newOrganizationId();
      const records = Array.from({ length: OTHERS }, (_, i) => approval({ organizationId, agent: `client_${i}` }));
      const writes = records.map((record) => ({ write: (stores: Stores) => request(stores, record) }));
      await settleBesides(writes, await creationThatFails(opened.stores, organizationId), opened);
      for (const record of records)
        expect(await opened.stores.approvals.approval(record.approvalId, record.requestedAt)).toEqual(record);
    });

    test("76. approvals in every state survive a restart, and what deletes the expired", async () => {
      const pending = await waiting(opened.stores);
      const approved = await waiting(opened.stores);
      const refused = await waiting(opened.stores);
      const used = await waiting(opened.stores);
      await decide(opened.stores, approved, "approved");
      await decide(opened.stores, refused, "refused");
      await decide(opened.stores, used, "approved");
      await consume(opened.stores, used);
      const states = async () =>
        Promise.all(
          [pending, approved, refused, used].map(
            async (record) => (await opened.stores.approvals.approval(record.approvalId, record.requestedAt))?.state,
          ),
        );
      await opened.reopen();
      expect(await states()).toEqual(["pending", "approved", "refused", "consumed"]);
      await opened.housekeep();
      expect(await states()).toEqual(["pending", "approved", "refused", "consumed"]);
      expect(await consume(opened.stores, used)).toBe(false);
      expect(await consume(opened.stores, approved)).toBe(true);
    });

    // Durable Objects: an alarm does it.
    if (engine.name !== "Durable Objects")
      test("76. an approval that is over leaves one record of that", async () => {
        const requestedAt = Date.now() - 20 * MINUTE;
        const record = await waiting(opened.stores, { requestedAt });
        await opened.housekeep();
        await opened.housekeep();
        const { organizationId } = record;
        const found = await recordedIn(opened.stores, { organizationId, type: "approval.expired" }, 1);
        expect(found).toEqual([approvalExpired(record).id]);
        const kept = await opened.stores.approvals.approval(record.approvalId, requestedAt);
        expect(kept).toMatchObject({ state: "expired" });
      });
  });
}

function intentOf(record: ApprovalRecord): AuditEvent {
  return { ...approvalEvent("tool.invoked", record), argumentsDigest: record.digest };
}

function requestedIn({ organizationId }: ApprovalRecord) {
  return { organizationId, type: "approval.requested" } as const;
}

function request({ approvals }: Stores, record: ApprovalRecord) {
  return approvals.requestApproval(record, approvalEvent("approval.requested", record));
}

async function waiting(stores: Stores, fields: Partial<ApprovalRecord> = {}): Promise<ApprovalRecord> {
  const record = approval(fields);
  await request(stores, record);
  return record;
}

function decide(
  { approvals }: Stores,
  record: ApprovalRecord,
  state: ApprovalDecision["state"],
  fields: Partial<ApprovalDecision> = {},
) {
  const { approvalId, digest, requestedAt: now } = record;
  const decision = { approvalId, digest, state, by: "user_owner", now, ...fields };
  return approvals.decideApproval(decision, approvalEvent(`approval.${state}`, record));
}

function consume({ approvals }: Stores, record: ApprovalRecord, intent = intentOf(record)): Promise<boolean> {
  const { approvalId, digest, requestedAt: now } = record;
  return approvals.consumeApproval({ approvalId, digest, now }, intent, approvalEvent("approval.consumed", record));
}

function live(approvals: Stores["approvals"], { organizationId, digest, requestedAt }: ApprovalRecord) {
  return approvals.liveApproval(organizationId, digest, requestedAt);
}
