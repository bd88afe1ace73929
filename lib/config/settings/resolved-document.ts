import type { Configuration } from "../configuration.ts";
import type { ConfiguredSettings, SettingValues } from "./settings.ts";

/** What the YAML document says with the secrets of the moment. */
export interface ResolvedDocument {
  readonly configuration: Configuration;
  /** Absent: it has no `mcpProvider`. */
  readonly configured?: ConfiguredSettings | undefined;
  /** The configuration with these values in the document. Rejects with ConfigurationError when they do not fit. */
  readonly resolveWith: (values: SettingValues) => Promise<Configuration>;
}
