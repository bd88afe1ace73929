import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { Settings, SettingsRecord } from "../../../lib/stores/settings.ts";

/** Settings in memory, whose reads a test can hold and make fail. */
export interface KeptSettings extends Settings {
  record: SettingsRecord;
  /** What reads reject with; undefined: they do not. */
  failure: Error | undefined;
  /** Reads wait for this. */
  held: Promise<void> | undefined;
  reads: number;
}

export function keptSettings(values: SettingsRecord["values"] = {}): KeptSettings {
  const isSet = Object.keys(values).length > 0;
  const settings: KeptSettings = {
    record: { revision: isSet ? 1 : 0, values },
    failure: undefined,
    held: undefined,
    reads: 0,
    async readSettings() {
      settings.reads++;
      const { record } = settings;
      await settings.held;
      if (settings.failure !== undefined) throw settings.failure;
      return record;
    },
    async replaceSettings(record: SettingsRecord, _: AuditEvent) {
      if (record.revision !== settings.record.revision + 1) return false;
      settings.record = record;
      return true;
    },
  };
  return settings;
}
