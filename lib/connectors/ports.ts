import type { ConnectionConfiguration } from "../config/app-configuration.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Random } from "../kernel/random.ts";
import type { Logger } from "../logging/logger.ts";

/** The ports that connectors take from the instance. */
export interface ConnectorPorts {
  /** Outbound HTTP; `tls` names an entry of the configuration's `tls`. Throws `OutboundError` when the entry cannot be used. */
  readonly outbound: (tls?: string, connection?: ConnectionConfiguration) => typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
