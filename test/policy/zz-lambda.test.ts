import { afterAll, beforeAll } from "vitest";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { lambda } from "../runtimes/lambda.ts";
import { policies } from "../behaviour/policies.ts";
let dynamo: RunningDynamo;
beforeAll(async () => { dynamo = await joinDynamo(); });
afterAll(() => dynamo.stop());
policies(lambda(() => dynamo));
