import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { ContentionError } from "./backoff.ts";

/** Names of errors that say that there were too many requests, or that a request took too long. */
const NAMES: readonly string[] = [
  "LimitExceededException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
  "RequestTimeout",
  "TimeoutError",
];
/** Codes of Node for connections that could not be made or broke. */
const CODES: readonly unknown[] = [
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
];

/** Reasons of a cancelled transaction that say nothing about its writes. */
export const PASSING_REASONS: readonly string[] = [
  "TransactionConflict",
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
];

/** Whether a call failed for reasons that go away, after the attempts that were made here and in the SDK. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ContentionError || NAMES.includes(error.name)) return true;
  if (error instanceof DynamoDBServiceException) return (error.$metadata.httpStatusCode ?? 0) >= 500;
  return "code" in error && CODES.includes(error.code);
}
