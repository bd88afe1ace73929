import type { Stores } from "../../../lib/stores/stores.ts";
import type { Line } from "./journal.ts";

/** An engine with a process that can be killed. */
export interface MortalEngine {
  readonly name: string;
  open(): Promise<MortalStores>;
}

export interface MortalStores {
  /**
   * Lets `writeForEver` write until so many operations were acknowledged and ends with `kill -9` what keeps the state,
   * where that is a process of ours, else the writer. Resolves to what the writer said.
   */
  writeAndKill(acknowledgements: number): Promise<readonly Line[]>;
  /** The data as a process sees it that has had no part in the writing. */
  stores(): Promise<Stores>;
  close(): Promise<void>;
}
