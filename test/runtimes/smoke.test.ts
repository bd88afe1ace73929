import { afterAll, beforeAll } from "vitest";
import { requestFlow } from "../behaviour/request-flow.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { bareWorkerd } from "./bare-workerd.ts";
import { lambda } from "./lambda.ts";

let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await joinDynamo();
});

afterAll(() => dynamo.stop());

// One journey through the whole product on the runtimes of the edge; `npm run test:edges` runs every suite there.
requestFlow(bareWorkerd);
requestFlow(lambda(() => dynamo));
