import type { ConfigurationSnapshot } from "../config/configuration.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Stores } from "../stores/stores.ts";

/** The ports that answers of the management API are made from. */
export interface ManagementPorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly stores: Pick<Stores, "apiClients" | "auditLog" | "directory" | "mcpSessions" | "members" | "passkeys">;
  readonly clock: Clock;
}
