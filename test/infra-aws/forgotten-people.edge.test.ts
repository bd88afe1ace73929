import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type DynamoStores, dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import type { TableNames } from "../../infra/aws/dynamodb/tables.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { ConnectionRecord } from "../../lib/stores/connections.ts";
import type { PersonRecord } from "../../lib/stores/directory.ts";
import { personId } from "../../lib/stores/identities.ts";
import { connected, keyOf } from "../contract/connection-records.ts";
import { credentialEvent, identity, passkey } from "../contract/credential-records.ts";
import { createdFirstOwner, createdOrganization, joined, memberEvent } from "../contract/member-records.ts";
import { MINUTE } from "../contract/records.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { commandsOf, failAfter, failFirst } from "./support/faults.ts";

let dynamo: RunningDynamo;
let client: DynamoDBClient;
let tables: TableNames;
let ahead: number;
let stores: DynamoStores;
let organizationId: string;
let one: PersonRecord;

beforeAll(async () => {
  dynamo = await joinDynamo();
});

afterAll(() => dynamo.stop());

beforeEach(async () => {
  client = dynamo.client();
  tables = await dynamo.createTables();
  ahead = 0;
  stores = storesOf(client);
  ({ organizationId } = await createdOrganization(stores, await createdFirstOwner(stores)));
  one = await joined(stores, organizationId);
});

afterEach(() => client.destroy());

test("what a removal left when its process ended goes with the next sweep, so that the account can be linked again", async () => {
  const [key, account] = [passkey({ userId: one.userId }), identity({ userId: one.userId })];
  await stores.passkeys.addPasskey(key, credentialEvent("passkey.added"));
  await stores.identities.linkIdentity(account, credentialEvent("identity.linked"));
  const dying = dynamo.client();
  failFirst(dying, "DeleteItemCommand", Number.POSITIVE_INFINITY, new Error("of the test"));
  await expect(remove(storesOf(dying))).rejects.toThrow("of the test");
  dying.destroy();
  expect(await stores.directory.getPerson(one.userId)).toBeUndefined();
  expect(await stores.passkeys.getPasskey(key.credentialId)).toEqual(key);
  ahead = 2 * MINUTE;
  await stores.sweepSessions();
  expect(await stores.passkeys.getPasskey(key.credentialId)).toBeUndefined();
  expect(await stores.passkeys.listPasskeys(one.userId)).toEqual([]);
  const linked = identity({ ...account, userId: "user_other" });
  expect(await stores.identities.linkIdentity(linked, credentialEvent("identity.linked"))).toBe(true);
});

test("67. connections whose end was cut off end with the next sweep, after a removal and after an account is unlinked", async () => {
  const accounts = [identity({ userId: one.userId }), identity({ userId: one.userId })] as const;
  const made: ConnectionRecord[] = [];
  for (const account of accounts) {
    await stores.identities.linkIdentity(account, credentialEvent("identity.linked"));
    made.push(await connected(stores, { organizationId, person: personId(account) }));
  }
  const states = async () =>
    (await Promise.all(made.map((record) => stores.connections.connection(keyOf(record))))).map(
      (found) => found?.state,
    );
  const dying = dynamo.client();
  // What the removal itself writes is one transaction; the first query of what follows does not come about.
  failAfter(dying, "TransactWriteItemsCommand", new Error("of the test"));
  const unlinked = storesOf(dying).identities.unlinkIdentity(
    one.userId,
    accounts[0],
    credentialEvent("identity.unlinked"),
  );
  await expect(unlinked).rejects.toThrow("of the test");
  dying.destroy();
  expect(await states()).toEqual(["connected", "connected"]);
  ahead = 2 * MINUTE;
  await stores.sweepSessions();
  expect(await states()).toEqual(["deleted", "connected"]);
  const another = dynamo.client();
  failAfter(another, "TransactWriteItemsCommand", new Error("of the test"));
  await expect(remove(storesOf(another))).rejects.toThrow("of the test");
  another.destroy();
  expect(await states()).toEqual(["deleted", "connected"]);
  await stores.sweepSessions();
  expect(await states()).toEqual(["deleted", "deleted"]);
});

test("what was linked while the person was being removed goes with the sweep a minute later, which then is through", async () => {
  await remove(stores);
  const account = identity({ userId: one.userId });
  await stores.identities.linkIdentity(account, credentialEvent("identity.linked"));
  await stores.sweepSessions();
  expect(await stores.identities.findIdentity(account)).toEqual(account);
  ahead = 2 * MINUTE;
  await stores.sweepSessions();
  expect(await stores.identities.findIdentity(account)).toBeUndefined();
  const commands = commandsOf(client);
  await stores.sweepSessions();
  expect(commands).not.toContain("DeleteItemCommand");
});

function remove({ members }: DynamoStores): Promise<unknown> {
  return members.removeMember({ organizationId, userId: one.userId }, memberEvent("member.removed", organizationId));
}

function storesOf(of: DynamoDBClient): DynamoStores {
  return dynamoStores({ client: of, tables, clock: { now: () => Date.now() + ahead }, random: webCryptoRandom });
}
