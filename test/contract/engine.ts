import type { Stores } from "../../lib/stores/stores.ts";

/** A database under the ports. Each suite opens its own, empty one. */
export interface StoreEngine {
  readonly name: string;
  open(): Promise<OpenStores>;
}

export interface OpenStores {
  readonly stores: Stores;
  close(): Promise<void>;
  /** Ends what holds state in memory, at least every object of ours, and opens the same data again. */
  reopen(): Promise<Stores>;
}
