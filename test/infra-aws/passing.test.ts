import {
  ConditionalCheckFailedException,
  InternalServerError,
  ProvisionedThroughputExceededException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { ContentionError } from "../../infra/aws/dynamodb/backoff.ts";
import { dynamoClient } from "../../infra/aws/dynamodb/client.ts";
import { isPassing } from "../../infra/aws/dynamodb/passing.ts";
import { dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { StoreUnavailableError } from "../../lib/stores/unavailable.ts";
import { freePort } from "../support/free-port.ts";

const facts = (httpStatusCode: number) => ({ message: "of the test", $metadata: { httpStatusCode } });
const named = (name: string, more: object = {}) => Object.assign(new Error("of the test"), { name, ...more });

test.each([
  ["a table that is throttled", new ProvisionedThroughputExceededException(facts(400))],
  ["an account that is throttled", named("ThrottlingException")],
  ["a failure inside DynamoDB", new InternalServerError(facts(500))],
  ["no answer in time", named("TimeoutError")],
  ["a connection that broke", named("Error", { code: "ECONNRESET" })],
  ["items that others held", new ContentionError("stayed contended")],
])("%s goes away by itself", (_, error) => {
  expect(isPassing(error)).toBe(true);
});

test.each([
  ["a table that does not exist", new ResourceNotFoundException(facts(400))],
  ["a condition that is not met", new ConditionalCheckFailedException(facts(400))],
  ["a transaction that can never be made", new TransactionCanceledException(facts(400))],
  ["credentials that are refused", named("UnrecognizedClientException")],
  ["a defect", new TypeError("undefined is not a function")],
  ["what is no error", "ThrottlingException"],
])("%s does not", (_, error) => {
  expect(isPassing(error)).toBe(false);
});

test("a DynamoDB that cannot be reached is a store that is not available", async () => {
  const client = dynamoClient({
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${await freePort()}`,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
  });
  const tables = { records: "records", sessions: "sessions", audit: "audit" };
  const stores = dynamoStores({ client, tables, clock: systemClock, random: webCryptoRandom });
  await expect(stores.tokens.introspect({ shard: 0, hash: "h" }, Date.now())).rejects.toThrow(StoreUnavailableError);
  client.destroy();
});
