import { afterAll, beforeAll, expect, test } from "vitest";
import { grantedOperations } from "../infra-aws/support/role.ts";
import { chooseEngine, joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { openDynamo } from "./engines/dynamodb.ts";
import { everyContract } from "./every-suite.ts";

const engine = chooseEngine();
const operations = new Set<string>();
let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await joinDynamo();
});

afterAll(() => dynamo.stop());

everyContract({ name: `DynamoDB (${engine})`, open: () => openDynamo(dynamo, operations) });

test("the function's role grants exactly the operations that these suites needed", async () => {
  expect([...operations].sort()).toEqual(await grantedOperations());
});
