import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { McpProxyAppConfiguration } from "../../lib/config/app-configuration.ts";
import { withOverridesOf } from "../../lib/config/overrides/overrides.ts";
import { deletionSweep } from "../../lib/directory/delete-organization.ts";
import { RECENT_SIGN_IN } from "../../lib/directory/sign-in-methods.ts";
import { STOPS_OF_OTHERS, type Stop } from "../../lib/stores/stops.ts";
import { apiClient, auditEvent } from "../contract/records.ts";
import { CONSOLE } from "../support/configuration.ts";
import { ISSUER } from "../support/in-process.ts";
import {
  accept,
  cookieOf,
  type Organization,
  type SignedInPerson,
  secretOf,
  signedIn,
  startOrganization,
} from "./people.ts";

let first: Organization;
let owner: SignedInPerson;
/** Whether the process ends as soon as a deletion is marked. */
let isEnding: boolean;
beforeEach(async () => {
  isEnding = false;
  first = await startOrganization({ adapt: thatMayEnd });
  owner = first.owner;
});
afterEach(() => first.product.close());

function thatMayEnd(dependencies: Dependencies): Dependencies {
  const { stores } = dependencies;
  const closeOrganization: typeof stores.members.closeOrganization = (...args) =>
    isEnding ? Promise.reject(new Error("the process ended")) : stores.members.closeOrganization(...args);
  return { ...dependencies, stores: { ...stores, members: { ...stores.members, closeOrganization } } };
}

const stores = () => first.product.dependencies.stores;
const pass = (milliseconds: number) => first.product.clock.set(first.product.clock.now() + milliseconds);

async function founded(name = "For a while"): Promise<string> {
  pass(1);
  return (await owner.call("POST", "/organizations", { name })).body.organizationId;
}

const inside = (organizationId: string) => ({ "Countersign-Organization": organizationId });

/** Somebody new who belongs to this organization alone. */
async function joined(organizationId: string, email: string, role = "owner"): Promise<SignedInPerson> {
  const { body } = await owner.call("POST", "/invitations", { email, role }, inside(organizationId));
  const accepted = await accept(first.product, secretOf(body.link));
  return { ...(await signedIn(first.product, accepted.body.userId)), cookie: cookieOf(accepted) };
}

const remove = (organizationId: string, by = owner) => by.call("DELETE", `/organizations/${organizationId}`);

test("86. the first organization is not deleted, and its owner reads what to do instead", async () => {
  const answer = await remove(first.organizationId);
  expect(answer).toMatchObject({ status: 409, body: { type: "urn:countersign:problem:conflict" } });
  expect(answer.body.detail).toContain("cannot be deleted");
  expect((await owner.call("GET", "/me")).body).toMatchObject({ organizationId: first.organizationId });
});

test("86. an organization is deleted by its owners alone, soon after a sign-in", async () => {
  const organizationId = await founded();
  const member = await joined(organizationId, "bob@example.com", "member");
  const stranger = await first.joined("carol@example.com");
  expect((await remove(organizationId, member)).status).toBe(403);
  expect((await remove(organizationId, stranger)).status).toBe(404);
  pass(RECENT_SIGN_IN + 1);
  expect((await remove(organizationId)).body).toMatchObject({
    type: "urn:countersign:problem:recent_sign_in_required",
  });
  expect((await owner.call("GET", `/organizations/${organizationId}`)).status).toBe(200);
  expect((await remove(organizationId, await signedIn(first.product, owner.userId))).status).toBe(204);
});

test("86. people who belong to no other organization go with it, others stay", async () => {
  const organizationId = await founded();
  const bob = await joined(organizationId, "bob@example.com");
  expect((await remove(organizationId)).status).toBe(204);
  expect((await bob.call("GET", "/me")).status).toBe(401);
  expect(await stores().directory.getPerson(bob.userId)).toBeUndefined();
  const me = (await owner.call("GET", "/me")).body;
  expect(me.organizations).toMatchObject([{ organizationId: first.organizationId }]);
  expect((await owner.call("GET", "/me", undefined, inside(organizationId))).status).toBe(404);
});

test("86. of two owners at once one deletes it, and one record says so", async () => {
  const organizationId = await founded("Two owners");
  const bob = await joined(organizationId, "bob@example.com");
  const answers = await Promise.all([remove(organizationId), remove(organizationId, bob)]);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 204)).toHaveLength(1);
  expect(statuses.filter((status) => [401, 403, 404].includes(status))).toHaveLength(1);
  const { items } = await stores().auditLog.query(
    { organizationId: first.organizationId, type: "organization.deleted" },
    { limit: 10 },
  );
  expect(items.filter(({ details }) => details?.stage === "closed")).toMatchObject([
    { outcome: "success", details: { organizationId }, names: { [organizationId]: "Two owners" } },
  ]);
});

test("86. a suspended owner, and owners of a suspended organization, do not delete it", async () => {
  const organizationId = await founded();
  const bob = await joined(organizationId, "bob@example.com");
  const stop = { kind: "organization", id: organizationId, state: "suspended", reason: "Looked into." };
  const placed = await owner.call("POST", "/stops", stop);
  expect((await remove(organizationId)).status).toBe(403);
  expect((await remove(organizationId, bob)).status).toBe(403);
  await owner.call("POST", `/stops/${placed.body.stop.stopId}/resume`, { reason: "Nothing found." });
  expect((await remove(organizationId, await signedIn(first.product, owner.userId))).status).toBe(204);
});

test("86. nobody resumes a deletion, and the list of stops does not show it", async () => {
  const organizationId = await founded();
  expect((await remove(organizationId)).status).toBe(204);
  const { stops } = await stores().stops.readStops();
  const [stop] = stops.filter(({ target }) => target.id === organizationId);
  expect(stop).toMatchObject({ state: "ended", deletion: "done" });
  expect((await owner.call("GET", "/stops")).body.items).toEqual([]);
  const resumed = await owner.call("POST", `/stops/${stop?.stopId}/resume`, { reason: "By mistake." });
  expect(resumed.status).toBe(404);
  const again = { kind: "organization", id: organizationId, state: "suspended", reason: "Again." };
  expect((await owner.call("POST", "/stops", again)).status).toBe(422);
});

test("86. a deletion that a process did not finish refuses everything, and the next sweep finishes it", async () => {
  const organizationId = await founded("Half done");
  const bob = await joined(organizationId, "bob@example.com");
  await owner.call("POST", "/invitations", { email: "eve@example.com", role: "member" }, inside(organizationId));
  for (const name of ["One", "Two"]) await owner.call("POST", "/api-clients", { name }, inside(organizationId));
  const stored = await stores().settings.readSettings();
  const limits = { revision: 1, isFirst: false, values: { limits: [] }, fullAt: 0 };
  const record = { revision: stored.revision + 1, values: withOverridesOf(stored, organizationId, limits) };
  await stores().settings.replaceSettings(record, auditEvent({ type: "overrides.changed", organizationId }));
  isEnding = true;

  expect((await remove(organizationId)).status).toBe(204);
  expect((await stores().apiClients.list(organizationId, { limit: 10 })).items).toHaveLength(2);
  for (const person of [owner, bob]) {
    const answers = await Promise.all([
      person.call("GET", `/organizations/${organizationId}`),
      person.call("GET", "/members", undefined, inside(organizationId)),
      person.call("POST", "/api-clients", { name: "Late" }, inside(organizationId)),
      person.call("POST", "/invitations", { email: "x@example.com", role: "owner" }, inside(organizationId)),
    ]);
    for (const { status } of answers) expect(status === 404 || status === 403).toBe(true);
  }

  const sweep = deletionSweep(first.product.dependencies);
  isEnding = false;
  expect(sweep(), "nothing is due yet").toBeUndefined();
  pass(60_000);
  await sweep();
  expect(sweep(), "it is over").toBeUndefined();
  expect((await stores().apiClients.list(organizationId, { limit: 10 })).items).toEqual([]);
  expect((await stores().members.listMembers(organizationId, { limit: 10 })).items).toEqual([]);
  expect(await stores().invitations.listInvitations(organizationId, first.product.clock.now())).toEqual([]);
  expect(await stores().directory.getPerson(bob.userId)).toBeUndefined();
  expect(JSON.stringify((await stores().settings.readSettings()).values)).not.toContain(organizationId);
  const { stops } = await stores().stops.readStops();
  expect(stops).toMatchObject([{ target: { id: organizationId }, state: "ended", deletion: "done" }]);
});

test("86. what one request does not remove is refused like the rest, and removed by the sweeps after it", async () => {
  const organizationId = await founded("Large");
  const clients = Array.from({ length: 250 }, () => apiClient({ organizationId }));
  for (const client of clients) {
    await stores().apiClients.create(client, auditEvent({ type: "api_client.created", organizationId }));
  }
  const left = async () => (await stores().apiClients.list(organizationId, { limit: 300 })).items.length;
  const sweep = deletionSweep(first.product.dependencies);
  expect((await remove(organizationId)).status).toBe(204);
  expect(await left()).toBeGreaterThan(100);
  expect((await owner.call("GET", `/organizations/${organizationId}`)).status).toBe(404);
  const marked = (await stores().stops.readStops()).stops;
  expect(marked).toMatchObject([{ target: { id: organizationId }, state: "suspended", deletion: "under_way" }]);
  pass(60_000);
  await sweep();
  expect(await left()).toBeLessThan(100);
  expect(sweep(), "other work goes first").toBeUndefined();
  pass(1_000);
  await sweep();
  expect(await left()).toBe(0);
  expect((await stores().stops.readStops()).stops).toMatchObject([{ state: "ended", deletion: "done" }]);
});

test("86. where there is no room for one more stop nothing is deleted, and the owner reads why", async () => {
  const organizationId = await founded();
  const { revision } = await stores().stops.readStops();
  const stops = Array.from(
    { length: STOPS_OF_OTHERS.stops },
    (_, i): Stop => ({
      ...{ stopId: `stop_${i}`, target: { kind: "app", id: `app-${i}` }, organizationId: `org_${i % 20}` },
      ...{ state: "suspended", at: 0, reason: "Room.", by: "user_1" },
    }),
  );
  const event = auditEvent({ type: "stop.placed", organizationId });
  expect(await stores().stops.replaceStops({ revision: revision + 1, stops }, event)).toBe("done");
  expect(await remove(organizationId)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("at most") },
  });
  expect((await owner.call("GET", `/organizations/${organizationId}`)).status).toBe(200);
});

test("86. where the configuration names an organization that is deleted, it stays stopped, so that nothing begins of it", async () => {
  const organizationId = "org_00000000-0000-4000-8000-000000000000";
  const app: McpProxyAppConfiguration = {
    ...{
      type: "mcpProxy",
      name: "theirs",
      namespace: "theirs",
      transport: "stream",
      url: "https://upstream.example/mcp",
    },
    ...{ timeout: 1_000, concurrency: 1, shareable: true, stepUp: [], outbound: { type: "unprotected" } },
    ...{ inboundTools: [], organization: organizationId },
  };
  const named = await startOrganization({
    configuration: { apps: [app], console: { ...CONSOLE, enabled: true, baseURL: ISSUER } },
  });
  onTestFinished(() => named.product.close());
  const { members, stops } = named.product.dependencies.stores;
  const made = { organizationId, name: "Theirs", createdAt: named.product.clock.now() + 1, revision: 1 };
  await members.createOrganization(
    made,
    named.owner.userId,
    auditEvent({ type: "organization.created", organizationId }),
  );
  expect((await named.owner.call("DELETE", `/organizations/${organizationId}`)).status).toBe(204);
  expect((await stops.readStops()).stops).toMatchObject([{ state: "suspended", deletion: "done" }]);
});
