import { afterAll, beforeAll } from "vitest";
import { behaveAsSpecified } from "../behaviour/every-suite.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { lambda } from "./lambda.ts";

let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await joinDynamo();
});

afterAll(() => dynamo.stop());

behaveAsSpecified(
  "tokens",
  lambda(() => dynamo),
);
