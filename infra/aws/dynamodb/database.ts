import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Random } from "../../../lib/kernel/random.ts";
import type { TableNames } from "./tables.ts";

/** What every store of this folder works with. */
export interface Database {
  readonly client: DynamoDBClient;
  readonly tables: TableNames;
  readonly random: Random;
}
