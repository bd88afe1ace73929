import { type DynamoDBClient, GetItemCommand, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import type { TableNames } from "../../infra/aws/dynamodb/tables.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { endingOf, exchanged, exchangeOf } from "../contract/exchange-records.ts";
import {
  accessTokenOf,
  authorizationCode,
  consent,
  consentEvent,
  grantOn,
  interaction,
  redemptionOf,
  referenceOf,
  registeredClient,
  rotationOf,
  signingKey,
} from "../contract/grant-records.ts";
import { givenConsent, redeemedChain, revokeConsent, startedChain } from "../contract/grant-workings.ts";
import { auditEvent } from "../contract/records.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { beforeFirst, failFirst, loseFirstAnswerOf } from "./support/faults.ts";

let dynamo: RunningDynamo;
let client: DynamoDBClient;
let otherClient: DynamoDBClient;
let tables: TableNames;
let stores: Stores;
/** Another instance of the function. */
let others: Stores;

beforeAll(async () => {
  dynamo = await joinDynamo();
});

afterAll(() => dynamo.stop());

beforeEach(async () => {
  [client, otherClient] = [dynamo.client(), dynamo.client()];
  tables = await dynamo.createTables();
  const clock = { now: () => Date.now() };
  stores = dynamoStores({ client, tables, clock, random: webCryptoRandom });
  others = dynamoStores({ client: otherClient, tables, clock, random: webCryptoRandom });
});

afterEach(() => {
  client.destroy();
  otherClient.destroy();
});

const loseAnswer = () => loseFirstAnswerOf(client, "TransactWriteItemsCommand");

describe("DynamoDB, an answer that is lost on the way", () => {
  test("13. does not turn a redemption into the second one of its code", async () => {
    const { grant, reference } = await startedChain(others);
    const redemption = redemptionOf(grant, reference);
    const lost = loseAnswer();
    expect(await stores.grants.redeem(redemption)).toBe("redeemed");
    expect(lost()).toBe(true);
    const { accessToken, refreshToken, now } = redemption;
    expect(await stores.tokens.introspect(accessToken.reference, now)).toEqual(accessToken.token);
    expect(await stores.grants.refreshToken(refreshToken.reference, now)).toMatchObject({ grant });
    expect(await stores.grants.redeem(redemptionOf(grant, reference))).toBe("reused");
  });

  test("15. does not turn a rotation into the reuse of its refresh token", async () => {
    const { grant, redemption } = await redeemedChain(others);
    const rotation = rotationOf(grant, redemption.refreshToken.reference, { grace: 0 });
    const lost = loseAnswer();
    expect(await stores.grants.rotate(rotation)).toEqual({ outcome: "rotated" });
    expect(lost()).toBe(true);
    const { successor, now } = rotation;
    expect(await stores.grants.refreshToken(successor.reference, now)).toMatchObject({ grant });
  });

  test("does not turn a chain, an exchange or an end into one that was refused", async () => {
    const given = await givenConsent(others);
    const grant = grantOn(given);
    const { token } = accessTokenOf(grant);
    const request = exchangeOf(token);
    const writes = [
      () => stores.grants.start(grant, authorizationCode(), referenceOf(grant)),
      () => stores.tokens.exchange(request),
      () => stores.tokens.end(endingOf(request.token)),
      () => stores.grants.revokeConsent(given.subject, given.clientId, consentEvent(given, "consent.revoked")),
    ];
    for (const write of writes) {
      const lost = loseAnswer();
      expect(await write()).toBe(true);
      expect(lost()).toBe(true);
    }
  });

  test("does not turn a step of an interaction, new keys or a registration into somebody else's", async () => {
    const first = interaction();
    const registered = registeredClient();
    const writes = [
      () => stores.grants.begin(first).then(() => true),
      () => stores.grants.advance({ ...first, revision: 2 }, Date.now()),
      () => stores.grants.finish(first.interactionHash, 2, Date.now()),
      () => stores.signingKeys.replace(0, [signingKey()], auditEvent({ type: "signing_keys.changed" })),
      () => stores.registeredClients.create(registered, auditEvent({ type: "client.registered" })).then(() => true),
    ];
    for (const write of writes) {
      const lost = loseAnswer();
      expect(await write()).toBe(true);
      expect(lost()).toBe(true);
    }
    expect(await stores.grants.finish(first.interactionHash, 2, Date.now())).toBe(false);
    expect(await stores.signingKeys.read()).toMatchObject({ revision: 1 });
  });
});

describe("DynamoDB, an end between the reads and the write of", () => {
  test.each(["chain", "consent"] as const)("18. an exchange: the end of the %s refuses it", async (what) => {
    const chain = await redeemedChain(others);
    const { token } = chain.redemption.accessToken;
    const met = beforeFirst(client, "TransactWriteItemsCommand", () => endBy(others, what, chain));
    const request = exchangeOf(token);
    expect(await stores.tokens.exchange(request)).toBe(false);
    expect(met()).toBe(true);
    expect(await stores.tokens.introspect(request.reference, token.issuedAt)).toBeUndefined();
  });

  test.each(["chain", "consent"] as const)("18. a redemption: the end of the %s refuses it", async (what) => {
    const chain = await startedChain(others);
    const met = beforeFirst(client, "TransactWriteItemsCommand", () => endBy(others, what, chain));
    expect(await stores.grants.redeem(redemptionOf(chain.grant, chain.reference))).toBe("ended");
    expect(met()).toBe(true);
  });

  test.each(["chain", "consent"] as const)("18. a rotation: the end of the %s refuses it", async (what) => {
    const chain = await redeemedChain(others);
    const met = beforeFirst(client, "TransactWriteItemsCommand", () => endBy(others, what, chain));
    const rotation = rotationOf(chain.grant, chain.redemption.refreshToken.reference);
    expect(await stores.grants.rotate(rotation)).toEqual({ outcome: "ended" });
    expect(met()).toBe(true);
  });

  test.each(["chain", "consent"] as const)("18. a repeated rotation: the end of the %s refuses it", async (what) => {
    const chain = await redeemedChain(others);
    const { reference } = chain.redemption.refreshToken;
    expect(await others.grants.rotate(rotationOf(chain.grant, reference))).toEqual({ outcome: "rotated" });
    const met = beforeFirst(client, "TransactWriteItemsCommand", () => endBy(others, what, chain));
    expect(await stores.grants.rotate(rotationOf(chain.grant, reference))).toEqual({ outcome: "ended" });
    expect(met()).toBe(true);
  });

  test("15. a rotation: another one comes first, and its successor is given", async () => {
    const { grant, redemption } = await redeemedChain(others);
    const { reference } = redemption.refreshToken;
    const first = rotationOf(grant, reference);
    beforeFirst(client, "TransactWriteItemsCommand", async () => {
      expect(await others.grants.rotate(first)).toEqual({ outcome: "rotated" });
    });
    const { sealedSuccessor } = first;
    expect(await stores.grants.rotate(rotationOf(grant, reference))).toEqual({ outcome: "repeated", sealedSuccessor });
  });

  test("13. a redemption: another one of the code comes first, and the chain is ended", async () => {
    const { grant, reference } = await startedChain(others);
    const first = redemptionOf(grant, reference);
    beforeFirst(client, "TransactWriteItemsCommand", async () => {
      expect(await others.grants.redeem(first)).toBe("redeemed");
    });
    expect(await stores.grants.redeem(redemptionOf(grant, reference))).toBe("reused");
    expect(await stores.tokens.introspect(first.accessToken.reference, first.now)).toBeUndefined();
  });

  test("a consent: another scope that is given meanwhile is kept too", async () => {
    const given = await givenConsent(others);
    const more = (scope: string) => consent({ ...given, scopes: [scope] });
    beforeFirst(client, "TransactWriteItemsCommand", () =>
      others.grants.giveConsent(more("one"), consentEvent(given, "consent.given")),
    );
    const kept = await stores.grants.giveConsent(more("two"), consentEvent(given, "consent.given"));
    expect(kept).toMatchObject({ consentId: given.consentId, scopes: [...given.scopes, "one", "two"] });
  });
});

describe("DynamoDB, contention and housekeeping", () => {
  test("a redemption that met another transaction is tried again", async () => {
    const { grant, reference } = await startedChain(others);
    const CancellationReasons = [
      { Code: "TransactionConflict" },
      ...Array.from({ length: 5 }, () => ({ Code: "None" })),
    ];
    const conflict = new TransactionCanceledException({ $metadata: {}, message: "met", CancellationReasons });
    const met = failFirst(client, "TransactWriteItemsCommand", 3, conflict);
    expect(await stores.grants.redeem(redemptionOf(grant, reference))).toBe("redeemed");
    expect(met()).toBe(3);
  });

  test("15. a rotated refresh token, a used code and their chain stay until they would have expired", async () => {
    const { grant, code, reference, redemption } = await redeemedChain(stores);
    const { refreshToken } = redemption;
    await stores.grants.rotate(rotationOf(grant, refreshToken.reference));
    expect(await removedFrom("code", reference.hash)).toBe(removal(code.expiresAt));
    expect(await removedFrom("refresh", refreshToken.reference.hash)).toBe(removal(refreshToken.record.expiresAt));
    expect(await removedFrom("chain", grant.chainId)).toBe(removal(grant.expiresAt));
  });

  test("18. the mark of an ended token stays as long as anything could descend from it, that of a consent for ever", async () => {
    const { consent: given, redemption } = await redeemedChain(stores);
    const { token } = await exchanged(stores, redemption.accessToken.token);
    await stores.tokens.end({ ...endingOf(token), expiresAt: token.expiresAt });
    await revokeConsent(stores, given);
    expect(await removedFrom("tombstone", `token/${token.tokenId}`)).toBe(removal(token.expiresAt));
    expect(await removedFrom("tombstone", `consent/${given.consentId}`)).toBeUndefined();
  });
});

async function endBy(
  by: Stores,
  what: "chain" | "consent",
  chain: Awaited<ReturnType<typeof startedChain>>,
): Promise<void> {
  const { chainId, consentId, expiresAt } = chain.grant;
  const ending = { what: "chain", lineage: { chainId, consentId }, expiresAt, event: auditEvent() } as const;
  expect(await (what === "chain" ? by.tokens.end(ending) : revokeConsent(by, chain.consent))).toBe(true);
}

/** When DynamoDB may remove the item, seconds; undefined: never. Throws where there is none. */
async function removedFrom(kind: string, id: string): Promise<number | undefined> {
  const Key = { pk: { S: `${kind}#${id}` }, sk: { S: kind } };
  const { Item } = await client.send(new GetItemCommand({ TableName: tables.records, Key }));
  if (Item === undefined) throw new Error(`no item of ${kind}`);
  return Item.ttl?.N === undefined ? undefined : Number(Item.ttl.N);
}

function removal(expiresAt: number): number {
  return Math.ceil(expiresAt / 1000) + 3600;
}
