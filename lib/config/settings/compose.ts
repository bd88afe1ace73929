import type { Logger } from "../../logging/logger.ts";
import type { SettingsRecord } from "../../stores/settings.ts";
import type { Configuration } from "../configuration.ts";
import { ConfigurationError, formatMessage } from "../messages.ts";
import type { ResolvedDocument } from "./resolved-document.ts";
import { settingValues } from "./settings.ts";

export interface Composed {
  readonly configuration: Configuration;
  /** False: the settings do not fit, and the gateway is left out: without them it may be open to whoever reaches it. */
  readonly isValid: boolean;
}

/** The document with stored settings. What is wrong with these is logged. */
export async function compose(document: ResolvedDocument, record: SettingsRecord, logger: Logger): Promise<Composed> {
  const values = settingValues(record.values);
  if (Object.keys(values).length === 0) return { configuration: document.configuration, isValid: true };
  try {
    return { configuration: await document.resolveWith(values), isValid: true };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const message of error.messages) {
      logger.error("the stored gateway settings do not fit the configuration; no gateway is served", {
        settingsRevision: record.revision,
        detail: formatMessage(message),
      });
    }
    const { mcpProvider: _, ...configuration } = document.configuration;
    return { configuration, isValid: false };
  }
}
