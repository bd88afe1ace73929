import { afterAll, beforeAll } from "vitest";
import { lambda } from "../runtimes/lambda.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { telemetry } from "./every-runtime.ts";

let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await joinDynamo();
});

afterAll(() => dynamo.stop());

telemetry(lambda(() => dynamo));
