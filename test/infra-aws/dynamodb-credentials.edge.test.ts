import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { credentialEvent, identity, passkey, passkeyUse, settings, used } from "../contract/credential-records.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { loseFirstAnswerOf } from "./support/faults.ts";

let dynamo: RunningDynamo;
let client: DynamoDBClient;
let stores: Stores;

beforeAll(async () => {
  dynamo = await joinDynamo();
});

afterAll(() => dynamo.stop());

beforeEach(async () => {
  client = dynamo.client();
  const tables = await dynamo.createTables();
  stores = dynamoStores({ client, tables, clock: systemClock, random: webCryptoRandom });
});

afterEach(() => client.destroy());

const loseAnswer = () => loseFirstAnswerOf(client, "TransactWriteItemsCommand");

describe("DynamoDB, an answer that is lost on the way", () => {
  test("does not turn the use of a passkey into somebody else's, and no replay of it into a use", async () => {
    const one = passkey({ counter: 3 });
    await stores.passkeys.addPasskey(one, credentialEvent("passkey.added"));
    const use = passkeyUse(one);
    const lost = loseFirstAnswerOf(client, "UpdateItemCommand");
    expect(await stores.passkeys.notePasskeyUse(use)).toBe(true);
    expect(lost()).toBe(true);
    expect(await stores.passkeys.notePasskeyUse(use)).toBe(false);
    expect(await stores.passkeys.getPasskey(one.credentialId)).toEqual(used(one, use));
  });

  test("does not turn a new passkey, or a removal, into one that was refused", async () => {
    const one = passkey();
    const lost = [loseAnswer()];
    expect(await stores.passkeys.addPasskey(one, credentialEvent("passkey.added"))).toBe(true);
    lost.push(loseAnswer());
    const event = credentialEvent("passkey.removed");
    expect(await stores.passkeys.removePasskey(one.userId, one.credentialId, event)).toBe(true);
    expect(lost.map((isLost) => isLost())).toEqual([true, true]);
  });

  test("does not turn a linked account, or the end of the link, into one that was refused", async () => {
    const one = identity();
    const lost = [loseAnswer()];
    expect(await stores.identities.linkIdentity(one, credentialEvent("identity.linked"))).toBe(true);
    lost.push(loseAnswer());
    expect(await stores.identities.unlinkIdentity(one.userId, one, credentialEvent("identity.unlinked"))).toBe(true);
    expect(lost.map((isLost) => isLost())).toEqual([true, true]);
  });

  test("does not turn a change of the settings into somebody else's", async () => {
    const record = settings(1);
    const lost = loseAnswer();
    expect(await stores.settings.replaceSettings(record, credentialEvent("settings.changed"))).toBe(true);
    expect(lost()).toBe(true);
    expect(await stores.settings.readSettings()).toEqual(record);
  });
});
