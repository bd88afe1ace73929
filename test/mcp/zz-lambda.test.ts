import { afterAll, beforeAll } from "vitest";
import { mcpTransports } from "../behaviour/mcp-transports.ts";
import { lambda } from "../runtimes/lambda.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";

let dynamo: RunningDynamo;
beforeAll(async () => {
  dynamo = await joinDynamo();
});
afterAll(() => dynamo.stop());
mcpTransports(lambda(() => dynamo));
