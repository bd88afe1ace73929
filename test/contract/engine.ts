import { afterAll, beforeAll } from "vitest";
import type { ConnectionKey } from "../../lib/stores/connections.ts";
import type { Stores } from "../../lib/stores/stores.ts";

/** How long engines keep audit records, milliseconds: longer than the suites go back. */
export const RETENTION = 1_000 * 86_400_000;

/** A database under the ports. Each suite opens its own, empty one. */
export interface StoreEngine {
  readonly name: string;
  open(): Promise<OpenStores>;
}

export interface OpenStores {
  readonly stores: Stores;
  /** The same data as another process has it open. Its clock is ahead by so many milliseconds. Ends with `close`. */
  another(ahead?: number): Promise<Stores>;
  /** Ends what holds state in memory, at least every object of ours, and opens the same data again. */
  reopen(): Promise<Stores>;
  /**
   * Copies what is stored of one connection over another's, in the database itself: what somebody does who can write there. Ends
   * what holds state in memory; `reopen` is done with it.
   */
  moveConnection?(from: ConnectionKey, to: ConnectionKey): Promise<Stores>;
  /** Deletes what has expired, as it is done now and then. Absent: alarms do that, and none can be rung from outside. */
  housekeep?(): Promise<void>;
  close(): Promise<void>;
}

/** What a suite works with: `stores` is the present opening of its database. */
export interface OpenedStores {
  readonly stores: Stores;
  another(ahead?: number): Promise<Stores>;
  reopen(): Promise<void>;
  moveConnection(from: ConnectionKey, to: ConnectionKey): Promise<void>;
  /** Does nothing where the engine keeps house by alarms. */
  housekeep(): Promise<void>;
}

/** Opens an empty database before the enclosing suite and closes it afterwards. */
export function openedStores(engine: StoreEngine): OpenedStores {
  let open: OpenStores;
  let stores: Stores;
  beforeAll(async () => {
    open = await engine.open();
    stores = open.stores;
  });
  afterAll(() => open.close());
  return {
    get stores() {
      return stores;
    },
    another: (ahead) => open.another(ahead),
    reopen: async () => {
      stores = await open.reopen();
    },
    moveConnection: async (from, to) => {
      if (open.moveConnection === undefined) throw new Error(`${engine.name} cannot be written to beside its stores`);
      stores = await open.moveConnection(from, to);
    },
    housekeep: async () => open.housekeep?.(),
  };
}
