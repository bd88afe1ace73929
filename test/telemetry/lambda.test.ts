import { afterAll, beforeAll } from "vitest";
import { lambda } from "../runtimes/lambda.ts";
import { type RunningDynamo, startDynamo } from "../support/dynamodb.ts";
import { telemetry } from "./every-runtime.ts";

let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await startDynamo();
});

afterAll(() => dynamo.stop());

telemetry(lambda(() => dynamo));
