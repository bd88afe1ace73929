import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { TableNames } from "../../../infra/aws/dynamodb/tables.ts";
import { LOCAL_CREDENTIALS, LOCAL_REGION } from "../../support/dynamodb.ts";
import { storesOf } from "../engines/dynamodb.ts";
import { writeUntilKilled } from "./workload.ts";

// Writes to the tables of a local engine until it is killed.
const [endpoint, tables] = process.argv.slice(2) as [string, string];
const client = new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
await writeUntilKilled(storesOf(client, JSON.parse(tables) as TableNames));
