import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { sessionExpiresAt } from "../../lib/stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../lib/stores/mcp-sessions.ts";
import type { SessionSignal } from "../../lib/stores/session-channel.ts";
import { answerOf } from "../behaviour/fixture.ts";
import { createdSession, expectRecords } from "../contract/mcp-session-workings.ts";
import { MINUTE, mcpSessionEvent, newOrganizationId, upstreamSession } from "../contract/records.ts";
import { CONSOLE } from "../support/configuration.ts";
import { type InProcess, ISSUER, START, startInProcess } from "../support/in-process.ts";

let instance: InProcess;
let organizationId: string;
let cookie: string;

beforeAll(async () => {
  const memberships = async (userId: string) => [{ organizationId, userId, role: "owner" as const, createdAt: 0 }];
  instance = await startInProcess({
    configuration: { console: { ...CONSOLE, enabled: true, baseURL: ISSUER } },
    adapt: (dependencies) => ({
      ...dependencies,
      stores: { ...dependencies.stores, directory: { ...dependencies.stores.directory, memberships } },
    }),
  });
  const begun = { method: "link" as const, userAgent: undefined };
  cookie = `__Host-countersign-console=${await startBrowserSession(instance.dependencies, "user_1", begun)}`;
});
afterAll(() => instance.close());

/** A session that began when the instance did, of an organization of its own, whose owner then calls. */
async function created(fields: Partial<McpSessionRecord> = {}): Promise<McpSessionRecord> {
  const session = await createdSession(instance.dependencies.stores, { startedAt: START, ...fields });
  organizationId = String(session.organizationId);
  return session;
}

function call(method: string, path = "") {
  return answerOf(instance.send(`/api/v1/mcp-sessions${path}`, { method, headers: { Cookie: cookie } }));
}

async function followed({ sessionHash }: McpSessionRecord): Promise<readonly SessionSignal[]> {
  const signals: SessionSignal[] = [];
  await instance.dependencies.sessionChannel?.follow(sessionHash, (signal) => signals.push(signal));
  return signals;
}

test("a session is shown with what it is and who is in it, and with nothing else of its record", async () => {
  const session = await created({ logLevel: "debug", upstreams: { library: upstreamSession() } });
  expect((await call("GET")).body).toEqual({
    items: [
      {
        id: session.sessionHash,
        transport: "stream",
        agent: session.agent,
        user: session.user,
        issuer: session.issuer,
        protocolVersion: "2025-11-25",
        clientInfo: session.clientInfo,
        startedAt: "2027-01-01T00:00:00.000Z",
        lastSeenAt: "2027-01-01T00:00:00.000Z",
        expiresAt: "2027-01-01T01:01:00.000Z",
      },
    ],
  });
});

test("where nobody is authenticated, a session is shown without agent, user and issuer", async () => {
  const session = await created();
  const { agent: _, user: __, issuer: ___, ...anonymous } = { ...session, sessionHash: "A".repeat(43) };
  await instance.dependencies.stores.mcpSessions.create(anonymous, mcpSessionEvent(anonymous, "session.started"));
  const { items } = (await call("GET")).body as { items: readonly { readonly id: string }[] };
  expect(items.find(({ id }) => id === session.sessionHash)).toHaveProperty("agent");
  expect(Object.keys(items.find(({ id }) => id === "A".repeat(43)) ?? {})).toEqual([
    ...["id", "transport", "protocolVersion", "clientInfo", "startedAt", "lastSeenAt", "expiresAt"],
  ]);
});

test("whoever follows a session learns that an owner has ended it, once, and of nobody else's attempt", async () => {
  const session = await created();
  const signals = await followed(session);
  organizationId = newOrganizationId();
  expect((await call("DELETE", `/${session.sessionHash}`)).status).toBe(404);
  expect(signals).toEqual([]);
  organizationId = String(session.organizationId);
  expect((await call("DELETE", `/${session.sessionHash}`)).status).toBe(204);
  expect((await call("DELETE", `/${session.sessionHash}`)).status).toBe(404);
  expect(signals).toEqual([{ kind: "ended" }]);
  await expectRecords(instance.dependencies.stores, session, ["session.started", "session.terminated"]);
});

test("32. another organization's session is neither listed nor ended", async () => {
  const session = await created();
  const theirs = await created();
  const { items } = (await call("GET")).body as { items: readonly { readonly id: string }[] };
  expect(items.map(({ id }) => id)).toEqual([theirs.sessionHash]);
  const [foreign, unknown] = [
    await call("DELETE", `/${session.sessionHash}`),
    await call("DELETE", `/${"B".repeat(43)}`),
  ];
  expect(foreign).toMatchObject({ status: 404, body: { ...(unknown.body as object), instance: expect.any(String) } });
  const { mcpSessions } = instance.dependencies.stores;
  expect(await mcpSessions.get(session.sessionHash, START)).toEqual(session);
  await expectRecords(instance.dependencies.stores, session, ["session.started"]);
});

test("a session of no organization is nobody's here", async () => {
  const { organizationId: _, ...session } = await created();
  const wide = { ...session, sessionHash: "C".repeat(43) };
  await instance.dependencies.stores.mcpSessions.create(wide, mcpSessionEvent(wide, "session.started"));
  expect((await call("DELETE", `/${wide.sessionHash}`)).status).toBe(404);
  expect(await instance.dependencies.stores.mcpSessions.use(wide, START)).toEqual(wide);
});

test("of 20 owners who end a session at once one does, and there is one record", async () => {
  const session = await created();
  const answers = await Promise.all(Array.from({ length: 20 }, () => call("DELETE", `/${session.sessionHash}`)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(19).fill(404)]);
  await expectRecords(instance.dependencies.stores, session, ["session.started", "session.terminated"]);
});

test("25. a session that has expired is neither listed nor ended, whether housekeeping has come to it or not", async () => {
  const session = await created({ startedAt: START - 62 * MINUTE });
  expect(sessionExpiresAt(session)).toBeLessThan(START);
  const signals = await followed(session);
  expect((await call("GET")).body).toEqual({ items: [] });
  expect((await call("DELETE", `/${session.sessionHash}`)).status).toBe(404);
  expect(signals).toEqual([]);
  await expectRecords(instance.dependencies.stores, session, ["session.started"]);
});
