import type { ClientIds } from "./api-clients/client-id.ts";
import type { RereadBudget } from "./api-clients/reread-budget.ts";
import type { Clock } from "./clock.ts";
import type { ConfigurationSnapshot } from "./config/snapshot.ts";
import type { Logger } from "./logging/logger.ts";
import type { RefusalRecords } from "./oauth/refusal-records.ts";
import type { SignatureVerifier } from "./oauth/signature-verifier.ts";
import type { Random } from "./random.ts";
import type { Stores } from "./stores/stores.ts";

/** Everything the code below `infra/` receives from outside. One object per instance; entries in `infra/` build it. */
export interface Dependencies {
  /** The current snapshot (D33). What keeps parts of it is built anew when `revision` changes, as all handlers are. */
  readonly configuration: () => ConfigurationSnapshot;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly signatures: SignatureVerifier;
  /** Bounds authoritative re-reads of API clients (checklist 7). */
  readonly rereads: RereadBudget;
  /** Bounds the audit records of refused token requests. */
  readonly refusalRecords: RefusalRecords;
  /** Outbound HTTP to addresses of the configuration. */
  readonly fetch: typeof globalThis.fetch;
  readonly clientIds: ClientIds;
}

/** What belongs to one request. */
export interface RequestContext {
  readonly requestId: string;
  /** The peer's address as far as the runtime knows it. */
  readonly remoteAddress: string | undefined;
  readonly logger: Logger;
  /** Keeps the runtime alive until the work is done. A rejection is logged and affects nothing else. */
  readonly waitUntil: (work: Promise<void>) => void;
}
