import type { ConfigurationSnapshot } from "../config/configuration.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Random } from "../kernel/random.ts";
import type { Logger } from "../logging/logger.ts";
import type { SignatureVerifier } from "../protocol/oauth/signature-verifier.ts";
import type { Stores } from "../stores/stores.ts";
import type { ClientIds } from "./client-id.ts";
import type { RereadBudget } from "./reread-budget.ts";

/** The ports that operations on API clients take from the instance. */
export interface ApiClientPorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly stores: Pick<Stores, "apiClients" | "directory">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly signatures: SignatureVerifier;
  readonly clientIds: ClientIds;
  /** Bounds authoritative re-reads of API clients (checklist 7). */
  readonly rereads: RereadBudget;
}
