import { decideAddKeyPair, decideRevokeKeyPair } from "../../api-clients/changes.ts";
import type { ApiClientRecord, ChangeResult, ChangeTarget, KeyPairRecord } from "../api-clients.ts";
import type { AuditEvent } from "../audit-log.ts";
import { changeApiClient } from "./api-clients.ts";
import type { Consequences } from "./consequences.ts";
import type { SqlDatabase } from "./database.ts";

export function addKeyPair(
  db: SqlDatabase,
  consequences: Consequences,
  target: ChangeTarget,
  keyPair: KeyPairRecord,
  event: AuditEvent,
): ChangeResult<ApiClientRecord> {
  return changeApiClient(db, consequences, target, event, (found) => decideAddKeyPair(found, target, keyPair));
}

export function revokeKeyPair(
  db: SqlDatabase,
  consequences: Consequences,
  target: ChangeTarget,
  keyPairId: string,
  at: number,
  event: AuditEvent,
): ChangeResult<ApiClientRecord> {
  return changeApiClient(db, consequences, target, event, (found) => decideRevokeKeyPair(found, target, keyPairId, at));
}
