import type { ApiClientPorts } from "../api-clients/ports.ts";
import type { KnownSessions } from "../directory/known-sessions.ts";
import type { DirectoryPorts } from "../directory/ports.ts";
import type { Stores } from "../stores/stores.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { StateSecretPorts } from "../upstream/request-state/sealed-state.ts";
import type { ClientDocuments } from "./clients/client-documents.ts";
import type { KeyRing } from "./keys/key-ring.ts";
import type { RevokedSignerSearches } from "./refusal-records.ts";

/** The ports that the authorization server takes from the instance. */
export interface AuthorizationServerPorts
  extends Omit<ApiClientPorts, "stores">,
    Omit<DirectoryPorts, "stores">,
    StateSecretPorts {
  /** Sessions of people, which are remembered and watched. */
  readonly knownSessions: Pick<KnownSessions, "forget">;
  readonly stores: ApiClientPorts["stores"] & DirectoryPorts["stores"] & Pick<Stores, "registeredClients" | "tokens">;
  /**
   * Outbound HTTP to addresses that an agent supplied (checklist 21): HTTPS to public addresses only, no redirects. Rejects
   * with `OutboundError` for any other.
   */
  readonly agentSuppliedFetch: typeof globalThis.fetch;
  /** What access and ID tokens are signed with. */
  readonly keyRing: KeyRing;
  /** Metadata documents of clients that were fetched lately. */
  readonly clientDocuments: ClientDocuments;
  /** Bounds the searches for revoked keys that signed. */
  readonly revokedSignerSearches: RevokedSignerSearches;
  /** Metrics and traces; absent: nothing is measured. */
  readonly telemetry?: Telemetry;
}
