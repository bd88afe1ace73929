import { afterAll, beforeAll } from "vitest";
import { credentials } from "../behaviour/credentials.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { lambda } from "./lambda.ts";

let dynamo: RunningDynamo;
beforeAll(async () => {
  dynamo = await joinDynamo();
});
afterAll(() => dynamo.stop());
credentials(lambda(() => dynamo));
