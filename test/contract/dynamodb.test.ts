import { afterAll, beforeAll } from "vitest";
import { dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import { systemClock } from "../../lib/clock.ts";
import { webCryptoRandom } from "../../lib/random.ts";
import { chooseEngine, type RunningDynamo, startDynamo } from "../support/dynamodb.ts";
import { apiClientsContract } from "./api-clients.ts";
import { auditLogContract } from "./audit-log.ts";
import { directoryContract } from "./directory.ts";
import type { StoreEngine } from "./engine.ts";
import { singleUseContract } from "./single-use.ts";
import { tokensContract } from "./tokens.ts";

const engine = chooseEngine();
let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await startDynamo(engine);
});

afterAll(() => dynamo.stop());

const dynamodb: StoreEngine = {
  name: `DynamoDB (${engine})`,
  open: async () => {
    const tables = await dynamo.createTables();
    const storesOf = (client = dynamo.client()) => ({
      client,
      stores: dynamoStores({ client, tables, clock: systemClock, random: webCryptoRandom }),
    });
    let open = storesOf();
    return {
      stores: open.stores,
      reopen: async () => {
        open.client.destroy();
        open = storesOf();
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
