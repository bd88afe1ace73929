import { afterAll, beforeAll } from "vitest";
import { chooseEngine, joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { openDynamoReleases, openMortalDynamo } from "./engines/dynamodb.ts";
import { killContract } from "./kill/contract.ts";
import { releasesContract } from "./releases/contract.ts";

const engine = chooseEngine();
const name = `DynamoDB (${engine})`;
let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await joinDynamo();
});

afterAll(() => dynamo.stop());

releasesContract({ name, open: () => openDynamoReleases(dynamo) });
killContract({ name, open: () => openMortalDynamo(dynamo) });
