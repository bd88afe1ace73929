/** The environment of a handler whose tables nobody asks for: nothing listens where they would be. */
export const WITHOUT_TABLES = {
  AWS_REGION: "us-east-2",
  AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:9",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "a secret of nobody",
  RECORDS_TABLE: "records",
  SESSIONS_TABLE: "sessions",
  AUDIT_TABLE: "audit",
  ORIGIN_SECRET: "a secret between two services",
} as const;
