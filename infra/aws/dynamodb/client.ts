import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { TABLE_VARIABLES, type TableNames, type TableRole } from "./tables.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A call that takes longer is given up and repeated: DynamoDB answers in milliseconds. */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 3_000;
const MAX_ATTEMPTS = 4;

/** The SDK's client for the region and the credentials that Lambda puts into the environment. */
export function dynamoClient(environment: Environment): DynamoDBClient {
  const { AWS_REGION, AWS_ENDPOINT_URL_DYNAMODB } = environment;
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  return new DynamoDBClient({
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
    ...(AWS_REGION !== undefined && { region: AWS_REGION }),
    ...(AWS_ENDPOINT_URL_DYNAMODB !== undefined && { endpoint: AWS_ENDPOINT_URL_DYNAMODB }),
    ...(AWS_ACCESS_KEY_ID !== undefined &&
      AWS_SECRET_ACCESS_KEY !== undefined && {
        credentials: {
          accessKeyId: AWS_ACCESS_KEY_ID,
          secretAccessKey: AWS_SECRET_ACCESS_KEY,
          ...(AWS_SESSION_TOKEN !== undefined && { sessionToken: AWS_SESSION_TOKEN }),
        },
      }),
  });
}

/** Throws when the environment does not name a table. */
export function tableNames(environment: Environment): TableNames {
  const nameOf = (role: TableRole): string => {
    const name = environment[TABLE_VARIABLES[role]];
    if (name === undefined || name === "")
      throw new Error(`the environment variable ${TABLE_VARIABLES[role]} is not set`);
    return name;
  };
  return { records: nameOf("records"), sessions: nameOf("sessions"), audit: nameOf("audit") };
}
