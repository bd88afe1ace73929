import { afterAll, beforeAll, expect, test } from "vitest";
import type { AppConfiguration } from "../../lib/config/app-configuration.ts";
import type { ConnectedAgentPage } from "../../lib/management/schemas/consents.ts";
import type { ConsentRecord } from "../../lib/stores/grants.ts";
import { registeredClient } from "../contract/grant-records.ts";
import { givenConsent, redeemedChain } from "../contract/grant-workings.ts";
import { auditEvent } from "../contract/records.ts";
import { APP } from "../oauth/clients/started.ts";
import { personOf } from "./own-records.ts";
import { type CallerName, startWorld, type World } from "./people.ts";

const FOREIGN_APP = "books-elsewhere";

let world: World;
let elsewhere: string;
/** Of the member, to an agent that registered itself, and to an app of another organization. */
let members: ConsentRecord;
let membersElsewhere: ConsentRecord;
/** Of the owner, and of somebody who has no account here, to agents with documents. */
let owners: ConsentRecord;
let strangers: ConsentRecord;
beforeAll(async () => {
  const apps: AppConfiguration[] = [];
  world = await startWorld({ configuration: { apps } });
  const { stores } = world.product.dependencies;
  const foreigner = world.callers["an owner of another organization"].userId as string;
  elsewhere = (await stores.directory.memberships(foreigner))[0]?.organizationId as string;
  const redirectURLs = ["https://books.example/callback"];
  apps.push({ ...APP, redirectURLs, clientID: FOREIGN_APP, name: "Books elsewhere", organization: elsewhere });
  const record = registeredClient({
    metadata: { client_name: "Helper", redirect_uris: ["http://127.0.0.1/callback", "com.example.helper:/callback"] },
  });
  await stores.registeredClients.create(record, auditEvent({ type: "client.registered" }));
  const memberId = world.callers["a member"].userId as string;
  const subject = await personOf(world, memberId);
  members = await givenConsent(stores, {
    subject,
    clientId: record.clientId,
    createdAt: 5,
    subjectName: "mia@corp.example",
  });
  membersElsewhere = await givenConsent(stores, { subject, clientId: FOREIGN_APP, createdAt: 6 });
  owners = await givenConsent(stores, { subject: await personOf(world, world.ownerId) });
  strangers = (await redeemedChain(stores)).consent;
});
afterAll(() => world.product.close());

test.each<[CallerName, string, () => readonly ConsentRecord[]]>([
  ["a member", "", () => [membersElsewhere, members]],
  ["an owner", "", () => [owners]],
  ["an owner", "?everyone=false", () => [owners]],
  ["an owner of another organization", "", () => []],
])("32. %s lists with %j their own, newest first", async (caller, query, expected) => {
  expect((await listed(caller, query)).map(partiesOf)).toEqual(expected().map(partiesOf));
});

test.each<[CallerName, () => readonly ConsentRecord[]]>([
  ["an owner", () => [members, owners, strangers]],
  ["an owner of another organization", () => [membersElsewhere]],
])("32. %s lists everybody's to clients of the organization, page by page, and no others", async (caller, expected) => {
  const found: string[] = [];
  let cursor = "";
  do {
    const answer = await sent(caller, `/api/v1/connected-agents?everyone=true&limit=1${cursor}`);
    const { items, nextCursor } = (await answer.json()) as ConnectedAgentPage;
    found.push(...items.map(partiesOf));
    cursor = nextCursor === undefined ? "" : `&cursor=${encodeURIComponent(nextCursor)}`;
  } while (cursor !== "");
  expect(found.sort()).toEqual(expected().map(partiesOf).sort());
});

test("32. a member does not see the agents of others", async () => {
  expect((await sent("a member", "/api/v1/connected-agents?everyone=true")).status).toBe(403);
});

test("an agent is shown with its own name, where it sends people, and when it last got a token", async () => {
  const [app, registered] = await listed("a member");
  const { scopes, resources, subject: user } = members;
  expect(registered).toEqual({
    ...{
      user,
      userName: "mia@corp.example",
      client: members.clientId,
      name: "Helper",
      hosts: ["127.0.0.1", "com.example.helper:"],
    },
    ...{ scopes, resources, createdAt: iso(5), updatedAt: iso(5) },
  });
  expect(app).toMatchObject({ name: "Books elsewhere", hosts: ["books.example"] });
  const all = await listed("an owner", "?everyone=true");
  const document = all.find(({ user: of }) => of === strangers.subject);
  expect(document).toMatchObject({ hosts: ["agent.example"], lastUsedAt: expect.any(String) });
  expect(document).not.toHaveProperty("name");
});

test.each<[string, CallerName, () => ConsentRecord]>([
  ["another member's", "a member", () => owners],
  ["somebody's without account here", "a member", () => strangers],
  ["one to another organization's app", "an owner", () => membersElsewhere],
  ["one to the first organization's agent", "an owner of another organization", () => members],
  ["one that was never given", "a member", () => ({ ...members, clientId: strangers.clientId })],
])("32. nobody ends a link that is not theirs to end: %s", async (_, caller, of) => {
  const { subject, clientId } = of();
  const { grants } = world.product.dependencies.stores;
  const before = await grants.consent(subject, clientId);
  expect((await end(caller, of())).status).toBe(404);
  expect(await grants.consent(subject, clientId)).toEqual(before);
});

test.each<[string, CallerName, () => Promise<ConsentRecord>, () => string]>([
  ["a member ends their own", "a member", () => newConsent({ of: "a member" }), () => world.organizationId],
  [
    "a member ends their own, of another organization",
    "a member",
    () => newConsent({ of: "a member", isForeign: true }),
    () => elsewhere,
  ],
  ["an owner ends a member's", "an owner", () => newConsent({ of: "a member" }), () => world.organizationId],
  [
    "an owner ends one of their organization's app",
    "an owner of another organization",
    () => newConsent({ of: "a member", isForeign: true }),
    () => elsewhere,
  ],
])("18. %s: nothing of it is of use, and its organization's audit log has who did it", async (_, by, made, whose) => {
  const given = await made();
  const { subject, clientId, consentId } = given;
  expect((await end(by, given)).status).toBe(204);
  const { grants, auditLog } = world.product.dependencies.stores;
  expect(await grants.consent(subject, clientId)).toBeUndefined();
  expect(await grants.consentsOf([subject])).toEqual([]);
  expect((await end(by, given)).status).toBe(404);
  const recorded = { organizationId: whose(), type: "consent.revoked", user: subject } as const;
  const { items } = await auditLog.query(recorded, { limit: 10 });
  const [actor, agent] = [world.callers[by].userId, clientId];
  expect(items).toEqual([expect.objectContaining({ actor, agent, details: { consentId } })]);
});

interface NewConsent {
  readonly of: CallerName;
  readonly isForeign?: boolean;
}

/** By a further account of the person's. */
async function newConsent({ of, isForeign = false }: NewConsent): Promise<ConsentRecord> {
  const subject = await personOf(world, world.callers[of].userId as string);
  return givenConsent(world.product.dependencies.stores, { subject, ...(isForeign && { clientId: FOREIGN_APP }) });
}

async function listed(caller: CallerName, query = ""): Promise<ConnectedAgentPage["items"]> {
  const answer = await sent(caller, `/api/v1/connected-agents${query}`);
  return ((await answer.json()) as ConnectedAgentPage).items;
}

async function sent(caller: CallerName, path: string, init: RequestInit = {}): Promise<Response> {
  const credentials = await world.callers[caller].credentials();
  return world.product.send(path, { ...init, headers: credentials });
}

function end(caller: CallerName, { subject: user, clientId: client }: ConsentRecord): Promise<Response> {
  return sent(caller, `/api/v1/consents?${new URLSearchParams({ user, client })}`, { method: "DELETE" });
}

function partiesOf(of: ConsentRecord | ConnectedAgentPage["items"][number]): string {
  return "client" in of ? `${of.user} ${of.client}` : `${of.subject} ${of.clientId}`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
