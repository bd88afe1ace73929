import type { DynamoDBClient, TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { TableNames } from "../../../infra/aws/dynamodb/tables.ts";

/** What a command may name tables with. */
interface CommandInput {
  readonly TableName?: string;
  readonly RequestItems?: Readonly<Record<string, unknown>>;
  readonly TransactItems?: readonly TransactWriteItem[];
}

/**
 * Adds to `operations` what the client does from now on, as IAM sees it: `records dynamodb:PutItem`. A transaction counts
 * as the writes in it.
 */
export function recordOperations(client: DynamoDBClient, tables: TableNames, operations: Set<string>): void {
  const roleOf = (name: string | undefined) => Object.entries(tables).find(([, table]) => table === name)?.[0];
  const record = (table: string | undefined, operation: string) =>
    operations.add(`${roleOf(table)} dynamodb:${operation}`);
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      (request) => {
        const { TableName, RequestItems, TransactItems = [] } = request.input as CommandInput;
        for (const table of Object.keys(RequestItems ?? {})) record(table, commandName.replace(/Command$/, ""));
        if (TableName !== undefined) record(TableName, commandName.replace(/Command$/, ""));
        for (const write of TransactItems) {
          for (const [kind, of] of Object.entries(write)) {
            record(of?.TableName, kind === "ConditionCheck" ? "ConditionCheckItem" : `${kind}Item`);
          }
        }
        return next(request);
      },
    { step: "initialize" },
  );
}
