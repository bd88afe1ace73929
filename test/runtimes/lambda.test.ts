import { afterAll, beforeAll } from "vitest";
import { behaveAsSpecified } from "../behaviour/every-suite.ts";
import { type RunningDynamo, startDynamo } from "../support/dynamodb.ts";
import { lambda } from "./lambda.ts";

let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await startDynamo();
});

afterAll(() => dynamo.stop());

behaveAsSpecified(lambda(() => dynamo));
