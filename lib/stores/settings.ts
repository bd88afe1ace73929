import type { JsonObject } from "../kernel/json.ts";
import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read } from "./operations.ts";

/** What was set in the Console, one document a region. */
export interface SettingsRecord {
  /** 0: nothing was ever set. Grows with each change. */
  readonly revision: number;
  /** Only what differs from the YAML document on purpose. */
  readonly values: JsonObject;
  /** Absent at revision 0. */
  readonly updatedAt?: number;
  /** `user_…`. */
  readonly updatedBy?: string;
}

/** Linearizable compare-and-set. The event becomes durable together with the change. */
export const SETTINGS = {
  readSettings: read<() => SettingsRecord>(),
  /** Writes a record whose revision is one more than the stored one; false, and nothing is written, when it is not. */
  replaceSettings: once<(record: SettingsRecord, event: AuditEvent) => boolean>(),
};

export type Settings = Port<typeof SETTINGS>;
