import type { WaitUntil } from "../../health/kept.ts";
import type { SettingsRecord } from "../../stores/settings.ts";
import type { SettingProblem } from "./blame.ts";
import type { ConfiguredSettings, SettingValues } from "./settings.ts";

/** The settings of the gateway that people keep in the store, as this instance follows them (D130). */
export interface GatewaySettings {
  /** What holds without them. */
  configured(): ConfiguredSettings;
  /** The revision in use; undefined while the YAML document does not allow what is stored, and no gateway is served. */
  appliedRevision(): number | undefined;
  /** Why these values, which would follow `former` ones, are refused; empty when they are acceptable. */
  check(values: SettingValues, former: SettingValues): Promise<readonly SettingProblem[]>;
  /** Uses what was just stored, without waiting for the next look. */
  use(record: SettingsRecord): Promise<void>;
  /**
   * Waits for a look at the store where the last one was too long ago, but not for long: for runtimes where nothing runs
   * between requests. Never rejects.
   */
  upToDate(waitUntil: WaitUntil): Promise<void>;
}
