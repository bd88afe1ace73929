import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import { systemClock } from "../../lib/clock.ts";
import { webCryptoRandom } from "../../lib/random.ts";
import { recordOperations } from "../infra-aws/support/operations.ts";
import { grantedOperations } from "../infra-aws/support/role.ts";
import { chooseEngine, type RunningDynamo, startDynamo } from "../support/dynamodb.ts";
import { apiClientsContract } from "./api-clients.ts";
import { auditLogContract } from "./audit-log.ts";
import { directoryContract } from "./directory.ts";
import type { StoreEngine } from "./engine.ts";
import { singleUseContract } from "./single-use.ts";
import { tokensContract } from "./tokens.ts";

const engine = chooseEngine();
const operations = new Set<string>();
let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await startDynamo(engine);
});

afterAll(() => dynamo.stop());

const dynamodb: StoreEngine = {
  name: `DynamoDB (${engine})`,
  open: async () => {
    const tables = await dynamo.createTables();
    const openStores = (client: DynamoDBClient) => {
      recordOperations(client, tables, operations);
      return { client, stores: dynamoStores({ client, tables, clock: systemClock, random: webCryptoRandom }) };
    };
    let open = openStores(dynamo.client());
    return {
      stores: open.stores,
      reopen: async () => {
        open.client.destroy();
        open = openStores(dynamo.client());
        return open.stores;
      },
      close: async () => open.client.destroy(),
    };
  },
};

apiClientsContract(dynamodb);
tokensContract(dynamodb);
singleUseContract(dynamodb);
directoryContract(dynamodb);
auditLogContract(dynamodb);

test("the function's role grants exactly the operations that these suites needed", async () => {
  expect([...operations].sort()).toEqual(await grantedOperations());
});
