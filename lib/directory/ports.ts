import type { RefusalPorts } from "../audit/refusals.ts";
import type { ConfigurationSnapshot } from "../config/configuration.ts";
import type { ConnectorPorts } from "../connectors/ports.ts";
import type { InstanceStops } from "../stops/instance-stops.ts";
import type { Stores } from "../stores/stores.ts";

/** The ports that the directory takes from the instance. */
export interface DirectoryPorts extends ConnectorPorts, RefusalPorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly instanceStops: Pick<InstanceStops, "current" | "revision" | "use" | "settlesWithin">;
  readonly stores: Pick<
    Stores,
    | "apiClients"
    | "auditLog"
    | "directory"
    | "grants"
    | "identities"
    | "invitations"
    | "members"
    | "passkeys"
    | "singleUse"
    | "stops"
  >;
}
