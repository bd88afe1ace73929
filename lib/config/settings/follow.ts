import type { Clock } from "../../clock.ts";
import type { Upkeep } from "../../health/component.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Settings, SettingsRecord } from "../../stores/settings.ts";
import type { ConfigurationSnapshot } from "../snapshot.ts";
import { settingProblems } from "./blame.ts";
import { compose } from "./compose.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import { createLooks } from "./looks.ts";
import type { ResolvedDocument } from "./resolved-document.ts";
import type { ConfiguredSettings } from "./settings.ts";

export interface FollowOptions {
  readonly settings: Pick<Settings, "readSettings">;
  /** The state of the YAML document at the moment; it has an `mcpProvider`. */
  readonly document: () => ResolvedDocument;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of each new snapshot when it is in use. */
  readonly onReplaced: (snapshot: ConfigurationSnapshot) => void;
}

/** A configuration that follows the stored settings. */
export interface FollowedSettings {
  readonly snapshot: () => ConfigurationSnapshot;
  /** Looks at the store when it is time. */
  readonly tend: (upkeep: Upkeep) => void;
  /** To be called when the document is in another state. */
  readonly documentReplaced: () => Promise<void>;
  readonly gatewaySettings: GatewaySettings;
}

/** Begins with what is stored now. Rejects when that cannot be read. */
export async function followSettings(options: FollowOptions): Promise<FollowedSettings> {
  const { settings, document, clock, logger, onReplaced } = options;
  const first = await settings.readSettings();
  const { configuration, isValid } = await compose(document(), first, logger);
  let current = { snapshot: { revision: 1, configuration }, record: first, isValid };
  let begun = 0;
  let applied = 0;

  /** Of what was begun later than this nothing is undone. */
  async function apply(record: SettingsRecord, number: number): Promise<void> {
    const composed = await compose(document(), record, logger);
    if (number < applied) return;
    applied = number;
    const revision = current.snapshot.revision + 1;
    const snapshot = { revision, configuration: composed.configuration };
    current = { snapshot, record, isValid: composed.isValid };
    onReplaced(snapshot);
  }

  const looks = createLooks(
    async (signal) => {
      const number = ++begun;
      const found = await settings.readSettings();
      // Another revision is not always a later one: a backup may have been restored.
      if (signal?.aborted || number < applied || found.revision === current.record.revision) return;
      await apply(found, number);
    },
    { clock, logger },
  );

  return {
    snapshot: () => current.snapshot,
    tend: ({ waitUntil, signal }) => {
      if (looks.isDue()) waitUntil(looks.look(signal));
    },
    documentReplaced: () => apply(current.record, ++begun),
    gatewaySettings: {
      configured: () => document().configured as ConfiguredSettings,
      appliedRevision: () => (current.isValid ? current.record.revision : undefined),
      check: (values, former) => settingProblems(document(), values, former),
      use: async (record) => {
        if (record.revision > current.record.revision) await apply(record, ++begun);
      },
      upToDate: looks.upToDate,
    },
  };
}
