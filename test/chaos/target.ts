import type { Random } from "./random.ts";

/** One life of the server process. */
export interface Life {
  /** True when it answers; false when it ended before. */
  readonly ready: Promise<boolean>;
  /** Whether it has ended, by whatever cause. */
  ended(): boolean;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
}

/** The trouble that nobody asks anything until idle objects end by themselves. */
export const IDLING = "pause in which idle objects end by themselves";

/** Something that can be done to a server that goes on running. */
export interface Trouble {
  readonly kind: string;
  /** Whether requests under way may fail. */
  readonly cutsOff: boolean;
  cause(random: Random): Promise<void>;
}

/** What the stores hold on disk after the end, whatever any endpoint says. */
export interface Stored {
  /** `tok_…`, one for each stored token. */
  readonly tokenIds: readonly string[];
  /** Of each stored `token.issued` event. */
  readonly events: readonly { readonly id: string; readonly tokenId: string }[];
  /** Outbox entries that were never delivered. */
  readonly undelivered: number;
}

/** A server that can be killed and started again on the same state. */
export interface Target {
  readonly name: "node" | "workerd";
  readonly url: string;
  /** Where its state is. */
  readonly folder: string;
  /** False where cached records may hide a new key for a while. */
  readonly seesChangesAtOnce: boolean;
  /** How long to wait between two kills, milliseconds. */
  readonly lifetime: { readonly least: number; readonly most: number };
  readonly troubles: readonly Trouble[];
  /** How often objects came to life; absent where there are none. */
  objectsStarted?(): number;
  /** Long enough without any request for idle objects to be evicted, milliseconds; absent where nothing idles. */
  readonly idleTime?: number;
  /**
   * Resolves to true as soon as the server writes what a kill leaves half-written, to false after the time, milliseconds.
   */
  delicateMoment?(within: number): Promise<boolean>;
  launch(): Life;
  /** Entries that wait for delivery; 0 where nothing has to be delivered. */
  undelivered(): Promise<number>;
  /** Everything that the server wrote, of all its lives. */
  logs(): readonly string[];
  /** After the server is gone. */
  stored(): Promise<Stored>;
  /** Ends what stands beside the server. The folder stays. */
  close(): Promise<void>;
}
