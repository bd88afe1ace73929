import type { Stores } from "./stores.ts";

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
  const rejectWith = (error: unknown): never => {
    throw isPassing(error) ? new StoreUnavailableError(error) : error;
  };
  const port = <P extends object>(operations: P): P =>
    Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => [name, telling(operation as Operation, rejectWith)]),
    ) as P;
  return {
    apiClients: port(stores.apiClients),
    tokens: port(stores.tokens),
    grants: port(stores.grants),
    registeredClients: port(stores.registeredClients),
    signingKeys: port(stores.signingKeys),
    singleUse: port(stores.singleUse),
    directory: port(stores.directory),
    members: port(stores.members),
    invitations: port(stores.invitations),
    passkeys: port(stores.passkeys),
    identities: port(stores.identities),
    settings: port(stores.settings),
    auditLog: port(stores.auditLog),
    mcpSessions: port(stores.mcpSessions),
  };
}

type Operation = (...args: readonly unknown[]) => Promise<unknown>;

/** Also what is thrown before there is a promise, as making a stub of an object can. */
function telling(operation: Operation, rejectWith: (error: unknown) => never): Operation {
  return async (...args) => {
    try {
      return await operation(...args);
    } catch (error) {
      return rejectWith(error);
    }
  };
}
