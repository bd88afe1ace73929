import { afterAll, beforeAll, expect, test } from "vitest";
import type { ConnectionPage, VaultKeyList, VaultRewrap } from "../../lib/management/schemas/connections.ts";
import type { ConnectionRecord } from "../../lib/stores/connections.ts";
import { connected, keyOf } from "../contract/connection-records.ts";
import { ownConnection } from "./own-records.ts";
import { type CallerName, startWorld, type World } from "./people.ts";

let world: World;
let memberId: string;
/** Of the member, of the owner, and of somebody who has no account here; the last one of another organization. */
let members: ConnectionRecord;
let owners: ConnectionRecord;
let strangers: ConnectionRecord;
let foreign: ConnectionRecord;
beforeAll(async () => {
  world = await startWorld();
  const { organizationId, callers, ownerId } = world;
  memberId = callers["a member"].userId as string;
  members = await ownConnection(world, memberId);
  owners = await ownConnection(world, ownerId);
  const { stores } = world.product.dependencies;
  strangers = await connected(stores, { organizationId, agent: "https://agent.example/client", state: "reconnect" });
  foreign = await connected(stores);
});
afterAll(() => world.product.close());

test.each<[CallerName, string, () => ConnectionRecord[]]>([
  ["a member", "", () => [members]],
  ["an owner", "", () => [owners]],
  ["an owner", "?everyone=false", () => [owners]],
  ["an owner", "?everyone=true", () => [members, owners, strangers]],
  ["an owner of another organization", "", () => []],
  ["an owner of another organization", "?everyone=true", () => []],
])("%s lists with %j what is theirs to see", async (caller, query, expected) => {
  const answer = await sent(caller, `/api/v1/connections${query}`);
  const { items } = (await answer.json()) as ConnectionPage;
  expect(idsOf(items)).toEqual(idsOf(expected()));
});

test("32. a member does not see the connections of others", async () => {
  const answer = await sent("a member", "/api/v1/connections?everyone=true");
  expect([answer.status, await answer.json()]).toMatchObject([403, { title: expect.any(String) }]);
});

test("an owner reads them page by page, and each once", async () => {
  const found: string[] = [];
  let cursor = "";
  do {
    const answer = await sent("an owner", `/api/v1/connections?everyone=true&limit=1${cursor}`);
    const { items, nextCursor } = (await answer.json()) as ConnectionPage;
    found.push(...items.map(({ connectionId }) => connectionId));
    cursor = nextCursor === undefined ? "" : `&cursor=${encodeURIComponent(nextCursor)}`;
  } while (cursor !== "");
  expect(found.sort()).toEqual(idsOf([members, owners, strangers]));
});

test("67. a connection is shown with what is known of it, and without anything of its tokens", async () => {
  const answer = await sent("an owner", "/api/v1/connections?everyone=true");
  const text = await answer.text();
  const shown = (JSON.parse(text) as ConnectionPage).items.find(
    ({ connectionId }) => connectionId === strangers.connectionId,
  );
  const { organizationId, sealed, expiresAt, canRefresh, attempt, connectedAt, lastUsedAt, ...same } = strangers;
  const iso = (time: number) => new Date(time).toISOString();
  expect(shown).toEqual({
    ...same,
    revokesAtProvider: false,
    connectedAt: iso(connectedAt),
    lastUsedAt: iso(lastUsedAt),
  });
  for (const secret of Object.values(strangers.sealed)) expect(text).not.toContain(secret);
});

interface Refused {
  readonly by: CallerName;
  readonly of: () => ConnectionRecord;
  /** What is named otherwise than it is. */
  readonly but?: Readonly<Record<string, string>>;
}

test.each<[string, Refused]>([
  ["another member's", { by: "a member", of: () => owners }],
  ["somebody's without account here", { by: "a member", of: () => strangers }],
  ["another organization's", { by: "an owner", of: () => foreign }],
  ["an organization's that they own none of", { by: "an owner of another organization", of: () => members }],
  ["one that the person has connected anew since", { by: "a member", of: () => members, but: { id: "connection_1" } }],
  ["another app's", { by: "an owner", of: () => members, but: { app: "notes" } }],
  ["one agent's without the agent", { by: "an owner", of: () => strangers, but: { agent: "" } }],
])("32. nobody takes back a connection that is not theirs: %s", async (_, { by, of, but = {} }) => {
  const record = of();
  const { id, ...query } = { id: record.connectionId, ...named(record), ...but };
  const answer = await remove(by, id, query);
  expect(answer.status).toBe(404);
  expect(await stored(record)).toMatchObject({ state: record.state });
});

test.each<[string, CallerName, () => Promise<ConnectionRecord>]>([
  ["a member takes back their own", "a member", () => ownConnection(world, memberId)],
  ["an owner takes back a member's", "an owner", () => ownConnection(world, memberId)],
  [
    "an owner takes back the one of an agent alone",
    "an owner",
    () => {
      const { product, organizationId } = world;
      return connected(product.dependencies.stores, { organizationId, agent: "https://agent.example/client" });
    },
  ],
])("%s: it is of no use from then on, and the audit log has who did it", async (_, by, made) => {
  const record = await made();
  const answer = await remove(by, record.connectionId, named(record));
  expect(answer.status).toBe(204);
  expect(await stored(record)).toMatchObject({ state: "deleted" });
  const again = await remove(by, record.connectionId, named(record));
  expect(again.status).toBe(404);
  const actor = world.callers[by].userId;
  const { organizationId, person: user, app } = record;
  const recorded = { organizationId, type: "connection.revoked" };
  const { items } = await world.product.dependencies.stores.auditLog.query(recorded, { limit: 10 });
  const { connectionId } = record;
  expect(items).toContainEqual(expect.objectContaining({ actor, user, app, details: { connectionId } }));
});

test("the vault's keys are counted, and what another key than the first encrypts is gone through page by page", async () => {
  const counted = await sent("an owner", "/api/v1/vault-keys");
  const { items: keys } = (await counted.json()) as VaultKeyList;
  expect(keys[0]).toMatchObject({ records: 0, seals: true });
  // Those of the examples are under keys that nobody has.
  const notOpened = keys.reduce((sum, { records }) => sum + records, 0);
  expect(notOpened).toBeGreaterThan(3);
  let found = 0;
  let cursor = "";
  do {
    const path = `/api/v1/vault-keys/rewrap?limit=1${cursor}`;
    const page = (await (await sent("an owner", path, { method: "POST" })).json()) as VaultRewrap;
    expect(page).toMatchObject({ rewrapped: 0, changed: 0 });
    found += page.notOpened;
    cursor = page.nextCursor === undefined ? "" : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  } while (cursor !== "");
  expect(found).toBe(notOpened);
});

async function sent(caller: CallerName, path: string, init: RequestInit = {}): Promise<Response> {
  const credentials = await world.callers[caller].credentials();
  return world.product.send(path, { ...init, headers: credentials });
}

function remove(caller: CallerName, id: string, query: Readonly<Record<string, string>>): Promise<Response> {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return sent(caller, `/api/v1/connections/${id}?${new URLSearchParams(given)}`, { method: "DELETE" });
}

function named({ person, app, agent }: ConnectionRecord): Readonly<Record<string, string>> {
  return { person, app, agent };
}

function stored(record: ConnectionRecord): Promise<ConnectionRecord | undefined> {
  return world.product.dependencies.stores.connections.connection(keyOf(record));
}

function idsOf(items: readonly { readonly connectionId: string }[]): readonly string[] {
  return items.map(({ connectionId }) => connectionId).sort();
}
