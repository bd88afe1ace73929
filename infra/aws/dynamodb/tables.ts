/** What a table keeps; each deployment has one of each. */
export type TableRole = "records" | "sessions" | "audit";

/** The tables' names in this deployment. */
export type TableNames = Readonly<Record<TableRole, string>>;

/** Environment variables that carry the tables' names. */
export const TABLE_VARIABLES: TableNames = {
  records: "RECORDS_TABLE",
  sessions: "SESSIONS_TABLE",
  audit: "AUDIT_TABLE",
};

/**
 * The key schema that all tables share, as CreateTable and CloudFormation take it. `serverless.yml` repeats it; a test
 * compares the two.
 */
export const TABLE_SCHEMA = {
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "S" },
  ],
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
} as const;

/** The attribute DynamoDB expires items by, in seconds since the epoch. */
export const TTL_ATTRIBUTE = "ttl";
