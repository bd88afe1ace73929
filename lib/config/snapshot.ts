import type { Configuration } from "./configuration.ts";

/** One immutable state of the configuration (D33). `revision` grows with every replacement in this process. */
export interface ConfigurationSnapshot {
  readonly revision: number;
  readonly configuration: Configuration;
}
