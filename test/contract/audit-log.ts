import { describe, expect, test } from "vitest";
import { promptGot, resourceRead, webRequested } from "../../lib/audit/event.ts";
import {
  AUDIT_SUM_SLOT,
  type AuditEvent,
  type AuditFilter,
  type AuditPageRequest,
} from "../../lib/stores/audit-log.ts";
import { openedStores, RETENTION, type StoreEngine } from "./engine.ts";
import { auditEvent, MINUTE, newOrganizationId } from "./records.ts";

/** Some sort before every id, some after, and some have the length of one. */
const NO_CURSORS = ["", "0", "!", "~", "12", "x".repeat(26), "0".repeat(25), "\u0000", "ÿ", "' OR 1=1 --"];
const DAY = 24 * 60 * MINUTE;

/** What every implementation of `AuditLog` does. */
export function auditLogContract(engine: StoreEngine): void {
  describe(`audit log on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const query = async (filter: AuditFilter) => (await opened.stores.auditLog.query(filter, { limit: 100 })).items;
    const append = async (fields: Partial<AuditEvent>) => {
      const event = auditEvent(fields);
      await opened.stores.auditLog.append(event);
      return event;
    };
    const toolCall = (organizationId: string) =>
      auditEvent({
        type: "tool.invoked",
        organizationId,
        outcome: "success",
        actor: "client_1",
        agent: "client_1",
        user: "user_7",
        actChain: ["client_1", "client_0"],
        app: "library",
        tool: "library__lend_book",
        requestId: "request-1",
        region: "us",
        argumentsDigest: "digest",
        details: { tokenId: "tok_1" },
      });

    test("an appended record reads back as it was given, and appending it again changes nothing", async () => {
      const organizationId = newOrganizationId();
      const event = toolCall(organizationId);
      await opened.stores.auditLog.append(event);
      await opened.stores.auditLog.append({ ...event, outcome: "denied" });
      expect(await query({ organizationId })).toEqual([event]);
    });

    test.each(NO_CURSORS)("the text %j, which is no cursor, reads from the beginning", async (cursor) => {
      const organizationId = newOrganizationId();
      const event = await append({ organizationId });
      expect(await opened.stores.auditLog.query({ organizationId }, { limit: 10, cursor })).toEqual({ items: [event] });
    });

    test("a begun record reads unknown until it is completed", async () => {
      const organizationId = newOrganizationId();
      const event = toolCall(organizationId);
      await opened.stores.auditLog.begin(event);
      expect(await query({ organizationId })).toEqual([{ ...event, outcome: "unknown" }]);
      const completion = { outcome: "tool_error", reason: "upstream answered 404", durationMs: 12 } as const;
      await opened.stores.auditLog.complete(event, completion);
      expect(await query({ organizationId })).toEqual([{ ...event, ...completion }]);
      expect(await query({ organizationId, outcome: "unknown" })).toEqual([]);
      expect(await query({ organizationId, outcome: "tool_error" })).toHaveLength(1);
    });

    test("a second completion changes nothing, not even in parallel", async () => {
      const organizationId = newOrganizationId();
      const event = toolCall(organizationId);
      await opened.stores.auditLog.begin(event);
      await opened.stores.auditLog.complete(event, { outcome: "success", durationMs: 1 });
      await Promise.all(
        Array.from({ length: 10 }, () =>
          opened.stores.auditLog.complete(event, { outcome: "cancelled", durationMs: 2 }),
        ),
      );
      expect(await query({ organizationId })).toEqual([{ ...event, outcome: "success", durationMs: 1 }]);
    });

    test("beginning a record again neither repeats nor reopens it", async () => {
      const organizationId = newOrganizationId();
      const event = toolCall(organizationId);
      await opened.stores.auditLog.begin(event);
      await opened.stores.auditLog.complete(event, { outcome: "success" });
      await opened.stores.auditLog.begin(event);
      expect(await query({ organizationId })).toEqual([{ ...event, outcome: "success" }]);
    });

    test("completing a record that was never begun, or was appended, changes nothing", async () => {
      const organizationId = newOrganizationId();
      await opened.stores.auditLog.complete(toolCall(organizationId), { outcome: "success" });
      expect(await query({ organizationId })).toEqual([]);
      const appended = await append({ organizationId });
      await opened.stores.auditLog.complete(appended, { outcome: "cancelled" });
      expect(await query({ organizationId })).toEqual([appended]);
    });

    test("a record left open reads unknown after a restart and can be completed then", async () => {
      const organizationId = newOrganizationId();
      const event = toolCall(organizationId);
      await opened.stores.auditLog.begin(event);
      await opened.reopen();
      expect(await query({ organizationId })).toEqual([{ ...event, outcome: "unknown" }]);
      await opened.stores.auditLog.complete(event, { outcome: "success" });
      expect(await query({ organizationId })).toEqual([event]);
    });

    test("a request for a web app is completed with what the upstream answered, beside its other details", async () => {
      const organizationId = newOrganizationId();
      const asked = {
        app: "payroll",
        method: "GET",
        host: "payroll.example",
        path: `/${"ü".repeat(501)}`,
        location: "/",
      };
      const event = auditEvent({ organizationId, actor: "user_7", user: "user_7", ...webRequested(asked) });
      expect(event.details?.path).toHaveLength(500);
      await opened.stores.auditLog.begin(event);
      const open = { ...event, outcome: "unknown" };
      expect(await query({ organizationId, type: "web.requested", tool: "payroll" })).toEqual([open]);
      await opened.stores.auditLog.complete(event, { outcome: "success", durationMs: 5, details: { status: "404" } });
      await opened.stores.auditLog.complete(event, { outcome: "success", details: { status: "500" } });
      const completed = { ...event, outcome: "success", durationMs: 5, details: { ...event.details, status: "404" } };
      expect(await query({ organizationId })).toEqual([completed]);
    });

    test("the end of a session with web apps, and a sign-in for one, are found by their types", async () => {
      const organizationId = newOrganizationId();
      const now = Date.now();
      const ended = await append({
        ...{ organizationId, type: "web_session.ended", reason: "signed_out", user: "user_7", ...idAt(now) },
      });
      const signedIn = await append({
        ...{ organizationId, type: "sign_in.succeeded", app: "payroll", user: "user_7", ...idAt(now + 1) },
        details: { method: "connector", connector: "corp" },
      });
      expect(await query({ organizationId, type: "web_session.ended" })).toEqual([ended]);
      expect(await query({ organizationId, user: "user_7" })).toEqual([signedIn, ended]);
    });

    test("a read of a resource and a prompt that was got are recorded as a call is: open, completed, and by their types", async () => {
      const organizationId = newOrganizationId();
      const now = Date.now();
      const events = [
        toolCall(organizationId),
        { ...toolCall(organizationId), ...resourceRead("ledger", "https://ledger.example/a?b=ü") },
        { ...toolCall(organizationId), ...promptGot("ledger", "\ud800".repeat(501)) },
      ].map((event, i) => ({ ...event, ...idAt(now + i) }));
      for (const event of events) await opened.stores.auditLog.begin(event);
      await opened.reopen();
      const open = events.map((event) => ({ ...event, outcome: "unknown" }));
      expect(await query({ organizationId })).toEqual(open.toReversed());
      for (const [i, { type }] of events.entries()) expect(await query({ organizationId, type })).toEqual([open[i]]);
      const completion = { outcome: "upstream_error", reason: "timeout", durationMs: 12 } as const;
      for (const event of events) await opened.stores.auditLog.complete(event, completion);
      const completed = events.map((event) => ({ ...event, ...completion })).toReversed();
      expect(await query({ organizationId, outcome: "upstream_error" })).toEqual(completed);
      expect(await query({ organizationId, tool: "ledger" })).toEqual(completed.slice(0, 2));
    });

    test("each organization sees its own records; instance-wide ones are apart", async () => {
      const [one, other] = [newOrganizationId(), newOrganizationId()];
      const mine = await append({ organizationId: one });
      const instanceWide = await append({ type: "config.loaded" });
      expect(await query({ organizationId: other })).toEqual([]);
      expect(await query({ organizationId: one })).toEqual([mine]);
      const wide = await query({ organizationId: undefined });
      expect(wide).toContainEqual(instanceWide);
      expect(wide).not.toContainEqual(mine);
    });

    test("pages show every record once, newest first, across days", async () => {
      const organizationId = newOrganizationId();
      const now = Date.now();
      const times = [now - 2 * DAY, now - DAY - 5, now - DAY, now - 3, now - 2, now - 1, now];
      const events: AuditEvent[] = [];
      for (const time of times) events.unshift(await append({ organizationId, time }));
      const seen: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await opened.stores.auditLog.query(
          { organizationId },
          { limit: 3, ...(cursor !== undefined && { cursor }) },
        );
        seen.push(page.items.map((event) => event.id));
        cursor = page.nextCursor;
      } while (cursor !== undefined && seen.length < 10);
      const ids = events.map((event) => event.id);
      expect(seen).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
    });

    test("a record written while pages are read disturbs none of them", async () => {
      const organizationId = newOrganizationId();
      const now = Date.now();
      const old = [];
      for (const time of [now - 4, now - 3, now - 2]) old.unshift((await append({ organizationId, time })).id);
      const first = await opened.stores.auditLog.query({ organizationId }, { limit: 2 });
      await append({ organizationId, time: now });
      const second = await opened.stores.auditLog.query(
        { organizationId },
        { limit: 2, ...(first.nextCursor !== undefined && { cursor: first.nextCursor }) },
      );
      expect([...first.items, ...second.items].map((event) => event.id)).toEqual(old);
    });

    test("filters narrow by type, actor, agent, user, tool, outcome and time, alone and together", async () => {
      const organizationId = newOrganizationId();
      const now = Date.now();
      const call = await append({ ...callBy("client_a", "lend"), organizationId, time: now - 30, user: "user_1" });
      const denied = await append({
        ...callBy("client_b", "lend"),
        organizationId,
        time: now - 20,
        outcome: "denied",
      });
      const issued = await append({
        organizationId,
        time: now - 10,
        type: "token.issued",
        agent: "client_a",
        actor: "user_9",
      });
      const matching = async (filter: Omit<AuditFilter, "organizationId">) =>
        (await query({ organizationId, ...filter })).map((event) => event.id);
      expect(await matching({ type: "tool.invoked" })).toEqual([denied.id, call.id]);
      expect(await matching({ actor: "user_9" })).toEqual([issued.id]);
      expect(await matching({ agent: "client_a" })).toEqual([issued.id, call.id]);
      expect(await matching({ user: "user_1" })).toEqual([call.id]);
      expect(await matching({ tool: "lend" })).toEqual([denied.id, call.id]);
      expect(await matching({ outcome: "denied" })).toEqual([denied.id]);
      expect(await matching({ from: now - 20 })).toEqual([issued.id, denied.id]);
      expect(await matching({ to: now - 20 })).toEqual([call.id]);
      expect(await matching({ from: now - 20, to: now - 10, tool: "lend", agent: "client_b" })).toEqual([denied.id]);
      expect(await matching({ type: "token.issued", tool: "lend" })).toEqual([]);
    });

    test("a search finds parts of tools, apps, outcomes, reasons, scopes, ids and names in any case, and nothing else of a record", async () => {
      const organizationId = newOrganizationId();
      const now = Date.now();
      const lent = await append({
        ...{ ...callBy("client_a", "Library__lend_book"), organizationId, time: now - 40, requestId: "Req-1" },
        ...{
          app: "library",
          region: "quux",
          details: { note: "quux", scopes: "books:Read" },
          names: { client_a: 'Ärzte \\ "Nord" %_' },
        },
      });
      const denied = await append({
        ...{ ...callBy("client_b", "ledger_read"), organizationId, time: now - 30, requestId: "req-12" },
        ...{
          outcome: "denied",
          reason: "by_policy",
          details: { missing: "books:write" },
          user: "user_9",
          names: { user_9: "ada@example.com" },
        },
      });
      const found = async (filter: Omit<AuditFilter, "organizationId">) =>
        (await query({ organizationId, ...filter })).map((event) => event.id);
      for (const q of [
        "lend_b",
        "library",
        "ärzte",
        'rzte \\ "n',
        'nord" %_',
        "client_a",
        "s:read",
        "succ",
        lent.id.toLowerCase(),
      ])
        expect([q, await found({ q })]).toEqual([q, [lent.id]]);
      for (const q of ["by_policy", "denied", "books:w", "user_9", "ada@", "req-12"])
        expect([q, await found({ q })]).toEqual([q, [denied.id]]);
      expect(await found({ q: "req-1" })).toEqual([denied.id, lent.id]);
      for (const q of ["quux", "tool", "null", "req_1"]) expect([q, await found({ q })]).toEqual([q, []]);
      expect(await found({ q: "req-1", outcome: "denied" })).toEqual([denied.id]);
      expect(await found({ requestId: "Req-1" })).toEqual([lent.id]);
      expect(await found({ requestId: "req-1" })).toEqual([]);
      expect(await query({ organizationId, q: "lend" })).toEqual([lent]);
    });

    test("a search goes on over pages until it has looked at all", async () => {
      const organizationId = newOrganizationId();
      const now = Date.now();
      const wanted: string[] = [];
      for (let i = 0; i < 12; i++) {
        const { id } = await append({
          ...callBy("client_1", i % 5 === 0 ? "Rare" : "usual"),
          organizationId,
          time: now - i,
        });
        if (i % 5 === 0) wanted.push(id);
      }
      const first = await opened.stores.auditLog.query({ organizationId, q: "rare" }, { limit: 2 });
      const cursor = first.nextCursor as string;
      const rest = await opened.stores.auditLog.query({ organizationId, q: "rare" }, { limit: 2, cursor });
      expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(wanted);
      expect(rest.nextCursor).toBeUndefined();
    });

    test("the first page tells how many match on all pages, if it is asked to", async () => {
      const organizationId = newOrganizationId();
      const now = Date.now();
      for (let n = 0; n < 7; n++) {
        const time = now - n * DAY;
        await append({ ...callBy(n % 3 === 0 ? "client_a" : "client_b", "Lend"), organizationId, time, count: 5 });
      }
      const totalOf = async (filter: Omit<AuditFilter, "organizationId">, page: Partial<AuditPageRequest> = {}) => {
        const asked = { limit: 2, withTotal: true, ...page };
        return (await opened.stores.auditLog.query({ organizationId, ...filter }, asked)).total;
      };
      expect(await totalOf({})).toEqual({ count: 7, isExact: true });
      expect(await totalOf({}, { limit: 200 })).toEqual({ count: 7, isExact: true });
      expect(await totalOf({ agent: "client_a" })).toEqual({ count: 3, isExact: true });
      expect(await totalOf({ q: "lend", agent: "client_b" })).toEqual({ count: 4, isExact: true });
      expect(await totalOf({ q: "unknown" })).toEqual({ count: 0, isExact: true });
      expect(await totalOf({ from: now - 2 * DAY, to: now })).toEqual({ count: 2, isExact: true });
      const { items, nextCursor: cursor } = await opened.stores.auditLog.query({ organizationId }, { limit: 2 });
      expect([items.length, await totalOf({}, { withTotal: false })]).toEqual([2, undefined]);
      expect(await totalOf({}, { cursor: cursor as string })).toBeUndefined();
      const none = newOrganizationId();
      const { total } = await opened.stores.auditLog.query({ organizationId: none }, { limit: 2, withTotal: true });
      expect(total).toEqual({ count: 0, isExact: true });
    });

    const tallyFrom = () => Math.floor(Date.now() / AUDIT_SUM_SLOT) * AUDIT_SUM_SLOT - 2 * AUDIT_SUM_SLOT;
    const tally = (organizationId: string, from: number) => {
      const types = ["tool.invoked", "token.issued"] as const;
      const interval = AUDIT_SUM_SLOT;
      return opened.stores.auditLog.tally({ organizationId, types, from, to: from + 2 * interval, interval });
    };

    test("a tally counts types, outcomes and apps by intervals, of one organization and time alone", async () => {
      const organizationId = newOrganizationId();
      const from = tallyFrom();
      const at = (minutes: number, fields: Partial<AuditEvent>) => {
        const time = from + minutes * MINUTE;
        return append({ organizationId, ...idAt(time), type: "tool.invoked", outcome: "success", ...fields });
      };
      await at(-1, {});
      await at(0, {});
      await at(1, { outcome: "denied" });
      await at(2, { outcome: "denied", count: 41, since: from });
      await at(4.9, {});
      await at(4.9, { app: "library" });
      await at(5, { type: "token.issued" });
      await at(6, { type: "key_pair.added" });
      await at(9, { organizationId: newOrganizationId() });
      await at(10, {});
      const { counts, complete, countedFrom } = await tally(organizationId, from);
      const inOrder = counts.map(({ start, ...rest }) => ({ minute: (start - from) / MINUTE, ...rest }));
      expect([complete, countedFrom]).toEqual([true, undefined]);
      expect(inOrder).toHaveLength(4);
      expect(inOrder).toEqual(
        expect.arrayContaining([
          { minute: 0, type: "tool.invoked", outcome: "success", count: 2 },
          { minute: 0, type: "tool.invoked", outcome: "success", app: "library", count: 1 },
          { minute: 0, type: "tool.invoked", outcome: "denied", count: 42 },
          { minute: 5, type: "token.issued", outcome: "success", count: 1 },
        ]),
      );
    });

    test("a tally sums durations by tool, reason and limit, each record once, and none that is open", async () => {
      const organizationId = newOrganizationId();
      const from = tallyFrom();
      const call = (fields: Partial<AuditEvent> = {}) => ({ ...toolCall(organizationId), ...idAt(from), ...fields });
      for (const durationMs of [10, 30]) {
        const event = call();
        await opened.stores.auditLog.begin(event);
        await opened.stores.auditLog.begin(event);
        await opened.stores.auditLog.complete(event, { outcome: "success", durationMs });
        await opened.stores.auditLog.complete(event, { outcome: "tool_error", durationMs: 99 });
      }
      await opened.stores.auditLog.begin(call());
      const limited = call({ outcome: "denied", reason: "limited", details: { limit: "a client" } });
      for (const _ of [0, 1]) await opened.stores.auditLog.append(limited);
      const agreed = { type: "tool.invoked", app: "library", tool: "library__lend_book" };
      const untimed = { timed: 0, durationMs: 0, longestMs: 0 };
      const { kinds } = await tally(organizationId, from);
      expect(kinds).toEqual([
        { ...agreed, outcome: "success", count: 2, timed: 2, durationMs: 40, longestMs: 30 },
        { ...agreed, outcome: "denied", reason: "limited", limit: "a client", count: 1, ...untimed },
      ]);
    });

    // Durable Objects: infra-cloudflare/audit-retention.edge.test.ts.
    if (engine.name !== "Durable Objects")
      test("53. of records that are too old the numbers are kept", async () => {
        const organizationId = newOrganizationId();
        const old = Date.now() - RETENTION - 3 * DAY;
        for (const more of [0, 1, 2]) await append({ organizationId, time: old + more });
        await append({
          organizationId,
          time: old + DAY,
          type: "token.refused",
          outcome: "refused",
          count: 41,
          since: old,
        });
        await append({ organizationId, time: old + DAY, type: "token.refused", outcome: "refused" });
        await append({ time: old, organizationId: newOrganizationId() });
        const young = await append({ organizationId });
        await opened.housekeep();
        const days = [old, old + DAY].map((time) => new Date(time).toISOString().slice(0, 10)) as [string, string];
        const counted = [
          { day: days[0], type: "api_client.updated", outcome: "success", count: 3 },
          { day: days[1], type: "token.refused", outcome: "refused", count: 42 },
        ];
        const kept = (from: string, to: string) => opened.stores.auditLog.kept({ organizationId, from, to });
        expect(await kept("2000-01-01", "9999-12-31")).toEqual(counted);
        expect(await kept(days[1], days[1])).toEqual(counted.slice(1));
        // DynamoDB deletes items that have expired by itself, some time later.
        if (!engine.name.startsWith("DynamoDB")) expect(await query({ organizationId })).toEqual([young]);
      });

    test("a filter that few records match is paged over all of them", async () => {
      const organizationId = newOrganizationId();
      const now = Date.now();
      const wanted: string[] = [];
      for (let i = 0; i < 12; i++) {
        const agent = i % 4 === 0 ? "client_rare" : "client_busy";
        const { id } = await append({ organizationId, time: now - 100 + i, agent });
        if (agent === "client_rare") wanted.unshift(id);
      }
      const filter = { organizationId, agent: "client_rare" };
      const first = await opened.stores.auditLog.query(filter, { limit: 2 });
      const rest = await opened.stores.auditLog.query(filter, {
        limit: 2,
        ...(first.nextCursor !== undefined && { cursor: first.nextCursor }),
      });
      expect([...first.items, ...rest.items].map((event) => event.id)).toEqual(wanted);
      expect(rest.nextCursor).toBeUndefined();
    });
  });
}

function idAt(time: number): Pick<AuditEvent, "id" | "time"> {
  return { id: auditEvent({ time }).id, time };
}

function callBy(agent: string, tool: string): Partial<AuditEvent> {
  return { type: "tool.invoked", agent, tool };
}
