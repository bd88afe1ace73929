import { verificationOf } from "../../api-clients/changes.ts";
import type { VerificationRecord } from "../api-clients.ts";
import { findApiClient } from "./api-clients.ts";
import type { SqlDatabase } from "./database.ts";

export function readVerificationRecord(db: SqlDatabase, clientId: string): VerificationRecord | undefined {
  const record = findApiClient(db, clientId);
  return record && verificationOf(record);
}
