import { portOf } from "./operations.ts";
import { eachStore, type Stores } from "./stores.ts";

/**
 * The store cannot do it now and soon may: it is overloaded, throttled, locked by another process, or out of reach.
 * Whether what was asked for has happened is not known. `cause` is the engine's own error.
 */
export class StoreUnavailableError extends Error {
  constructor(cause: unknown) {
    super(`The store is not available: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = "StoreUnavailableError";
  }
}

/** The same ports, which tell failures in passing by `StoreUnavailableError`. Everything else rejects as it did. */
export function tellingUnavailable(stores: Stores, isPassing: (error: unknown) => boolean): Stores {
  return eachStore((name, table) => {
    const port = stores[name] as Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;
    return portOf(table, async (operation, _kind, args) => {
      try {
        // Also what is thrown before there is a promise, as making a stub of an object can.
        return await port[operation]?.(...args);
      } catch (error) {
        throw isPassing(error) ? new StoreUnavailableError(error) : error;
      }
    });
  });
}
