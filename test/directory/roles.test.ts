import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiClient } from "../../lib/api-clients/administration.ts";
import { addKeyPair } from "../../lib/api-clients/key-pairs.ts";
import { startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { createInvitation } from "../../lib/directory/invitations.ts";
import type { Role } from "../../lib/stores/directory.ts";
import { consent, consentEvent } from "../contract/grant-records.ts";
import { mcpSession, mcpSessionEvent } from "../contract/records.ts";
import { CONSOLE } from "../support/configuration.ts";
import { type InProcess, ISSUER, START, startInProcess } from "../support/in-process.ts";

const BEGUN = { method: "link" as const, userAgent: undefined };

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** Statuses for an owner, a member, and an owner of another organization. */
  readonly expected: readonly [owner: number, member: number, foreigner: number];
}

let role: Role = "owner";
let organizationId = "";
let instance: InProcess;
let clientId: string;
let keyPairId: string;
let homeId: string;
let ownerId: string;
let invitationId: string;
let sessionId: string;
let parties: URLSearchParams;
let cookie: string;

beforeAll(async () => {
  instance = await startInProcess({
    configuration: { console: { ...CONSOLE, enabled: true, baseURL: ISSUER } },
    adapt: (dependencies) => ({
      ...dependencies,
      stores: { ...dependencies.stores, directory: { ...dependencies.stores.directory, memberships } },
    }),
  });
  const home = await instance.dependencies.stores.directory.firstOrganization();
  const actor = { id: "operator:test", organizationId: home?.organizationId as string };
  ({ clientId } = await createApiClient(instance.dependencies, actor, { name: "CI" }));
  ({ keyPairId } = (await addKeyPair(instance.dependencies, actor, { clientId })).keyPair);
  homeId = actor.organizationId;
  ownerId = (await instance.dependencies.stores.directory.findPersonByEmail("owner@example.com"))?.userId as string;
  const invited = { email: "member@example.com", role: "member" };
  ({ invitationId } = (await createInvitation(instance.dependencies, actor, invited)).invitation);
  const session = mcpSession({ organizationId: actor.organizationId, startedAt: START });
  await instance.dependencies.stores.mcpSessions.create(session, mcpSessionEvent(session, "session.started"));
  sessionId = session.sessionHash;
  const given = consent();
  await instance.dependencies.stores.grants.giveConsent(given, consentEvent(given, "consent.given"));
  parties = new URLSearchParams({ user: given.subject, client: given.clientId });
  cookie = `__Host-countersign-console=${await startBrowserSession(instance.dependencies, "user_1", BEGUN)}`;
});
afterAll(() => instance.close());

/** What the directory says of the one person who calls: each of them in turn. */
async function memberships(userId: string) {
  return organizationId === "" ? [] : [{ organizationId, userId, role, createdAt: 0 }];
}

describe("32. who may do what", () => {
  const json = '{"name":"renamed"}';
  const invitation = '{"email":"somebody@example.com","role":"member"}';
  const operations: readonly Operation[] = [
    { method: "GET", path: "/me", expected: [200, 200, 200] },
    { method: "GET", path: "/instance", expected: [200, 200, 200] },
    { method: "GET", path: "/browser-sessions", expected: [200, 200, 200] },
    { method: "GET", path: "/organizations/:organizationId", expected: [200, 200, 404] },
    { method: "PATCH", path: "/organizations/:organizationId", body: json, expected: [200, 403, 404] },
    { method: "GET", path: "/members", expected: [200, 200, 200] },
    { method: "PATCH", path: "/members/:ownerId", body: '{"role":"member"}', expected: [409, 403, 404] },
    { method: "DELETE", path: "/members/:ownerId", expected: [409, 403, 404] },
    { method: "GET", path: "/invitations", expected: [200, 403, 200] },
    { method: "POST", path: "/invitations", body: invitation, expected: [201, 403, 201] },
    { method: "DELETE", path: "/invitations/:invitationId", expected: [204, 403, 404] },
    { method: "GET", path: "/api-clients", expected: [200, 200, 200] },
    { method: "GET", path: "/api-clients/:clientId", expected: [200, 200, 404] },
    { method: "GET", path: "/api-clients/:clientId/key-pairs", expected: [200, 200, 404] },
    { method: "GET", path: "/mcp-sessions", expected: [200, 200, 200] },
    { method: "DELETE", path: "/mcp-sessions/:sessionId", expected: [204, 403, 404] },
    { method: "GET", path: "/consents?:parties", expected: [200, 200, 404] },
    { method: "DELETE", path: "/consents?:parties", expected: [204, 404, 404] },
    { method: "GET", path: "/audit-events", expected: [200, 200, 200] },
    { method: "GET", path: "/audit-events?instance=true", expected: [200, 403, 403] },
    { method: "POST", path: "/api-clients", body: json, expected: [201, 403, 201] },
    { method: "PATCH", path: "/api-clients/:clientId", body: json, expected: [200, 403, 404] },
    { method: "POST", path: "/api-clients/:clientId/key-pairs", expected: [201, 403, 404] },
    { method: "POST", path: "/api-clients/:clientId/key-pairs/:keyPairId/revoke", expected: [200, 403, 404] },
    { method: "DELETE", path: "/api-clients/:clientId", expected: [204, 403, 404] },
  ];
  const foreign = "org_00000000-0000-4000-8000-000000000000";
  const callers: readonly { name: string; role: Role; organization?: string; column: 0 | 1 | 2 }[] = [
    { name: "a member", role: "member", column: 1 },
    { name: "an owner of another organization", role: "owner", organization: foreign, column: 2 },
    { name: "an owner", role: "owner", column: 0 },
  ];

  for (const caller of callers) {
    for (const operation of operations) {
      const expected = operation.expected[caller.column];
      test(`32. ${operation.method} ${operation.path} by ${caller.name} is ${expected}`, async () => {
        const home = await instance.dependencies.stores.directory.firstOrganization();
        role = caller.role;
        organizationId = caller.organization ?? (home?.organizationId as string);
        expect((await call(operation, { Cookie: cookie })).status).toBe(expected);
      });
    }
  }

  test.each(operations)("32. $method $path by a stranger is 401", async (operation) => {
    const response = await call(operation, {});
    expect([response.status, response.headers.get("WWW-Authenticate")]).toEqual([401, 'Bearer realm="countersign"']);
  });

  test("32. whoever belongs to no organization may do nothing", async () => {
    organizationId = "";
    expect((await call({ method: "GET", path: "/me", expected: [403, 403, 403] }, { Cookie: cookie })).status).toBe(
      403,
    );
  });
});

function call(operation: Operation, headers: Readonly<Record<string, string>>): Promise<Response> {
  const path = operation.path
    .replace(":clientId", clientId)
    .replace(":keyPairId", keyPairId)
    .replace(":organizationId", homeId)
    .replace(":ownerId", ownerId)
    .replace(":invitationId", invitationId)
    .replace(":sessionId", sessionId)
    .replace(":parties", String(parties));
  return instance.send(`/api/v1${path}`, {
    method: operation.method,
    headers: { ...headers, ...(operation.body !== undefined && { "Content-Type": "application/json" }) },
    ...(operation.body !== undefined && { body: operation.body }),
  });
}
