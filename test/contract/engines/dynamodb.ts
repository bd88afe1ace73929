import { type DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { keyAttributes } from "../../../infra/aws/dynamodb/items.ts";
import { connectionKey } from "../../../infra/aws/dynamodb/keys.ts";
import { type DynamoStores, dynamoStores } from "../../../infra/aws/dynamodb/stores.ts";
import type { TableNames } from "../../../infra/aws/dynamodb/tables.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import { recordOperations } from "../../infra-aws/support/operations.ts";
import type { RunningDynamo } from "../../support/dynamodb.ts";
import { type OpenStores, RETENTION } from "../engine.ts";
import { killedWriter } from "../kill/child.ts";
import type { MortalStores } from "../kill/engine.ts";
import type { Releases } from "../releases/engine.ts";
import { previousDynamo } from "../releases/previous-dynamodb.ts";
import { clockAhead } from "./clock.ts";

/** DynamoDB over tables of its own. What it asks of them is added to `operations`. */
export async function openDynamo(dynamo: RunningDynamo, operations: Set<string>): Promise<OpenStores> {
  const tables = await dynamo.createTables();
  const clients: DynamoDBClient[] = [];
  const openStores = (ahead = 0) => {
    const client = dynamo.client();
    clients.push(client);
    recordOperations(client, tables, operations);
    return storesOf(client, tables, ahead);
  };
  let first = openStores();
  return {
    stores: first,
    another: async (ahead) => openStores(ahead),
    reopen: async () => {
      first = openStores();
      return first;
    },
    moveConnection: async (from, to) => {
      const client = dynamo.client();
      const { pk, sk } = keyAttributes(connectionKey(from));
      const { Item } = await client.send(new GetItemCommand({ TableName: tables.records, Key: { pk, sk } as never }));
      await client.send(
        new PutItemCommand({ TableName: tables.records, Item: { ...Item, ...keyAttributes(connectionKey(to)) } }),
      );
      client.destroy();
      first = openStores();
      return first;
    },
    housekeep: async () => {
      while (await first.sweepSessions());
    },
    close: async () => {
      for (const client of clients) client.destroy();
    },
  };
}

export function storesOf(client: DynamoDBClient, tables: TableNames, ahead = 0): DynamoStores {
  return dynamoStores({
    ...{ client, tables, clock: clockAhead(ahead), random: webCryptoRandom },
    auditRetention: RETENTION,
  });
}

/** The same, written by processes that are killed. DynamoDB itself goes on, as it does when a function is ended. */
export async function openMortalDynamo(dynamo: RunningDynamo): Promise<MortalStores> {
  const tables = await dynamo.createTables();
  const client = dynamo.client();
  const args = [dynamo.endpoint, JSON.stringify(tables)];
  return {
    writeAndKill: (acknowledgements) => killedWriter("dynamodb-writer.ts", args, acknowledgements),
    stores: async () => storesOf(client, tables),
    close: async () => client.destroy(),
  };
}

/** The previous release and this one on the same tables. */
export async function openDynamoReleases(dynamo: RunningDynamo): Promise<Releases> {
  const tables = await dynamo.createTables();
  const client = dynamo.client();
  return {
    previous: async () => previousDynamo(client, tables),
    current: async () => storesOf(client, tables),
    close: async () => client.destroy(),
  };
}
