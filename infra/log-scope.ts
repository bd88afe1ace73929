import { AsyncLocalStorage } from "node:async_hooks";
import type { LogFields, LogScope } from "../lib/logging/logger.ts";

interface Scope {
  readonly fields: LogFields;
  readonly waitUntil?: ((left: Promise<void>) => void) | undefined;
}

/** Follows the work through promises, timers and callbacks. Workers has this part of Node, too. */
export function asyncLogScope(): LogScope {
  const storage = new AsyncLocalStorage<Scope>();
  return {
    run: (fields, work, waitUntil) => {
      const around = storage.getStore();
      const scope = { fields: { ...around?.fields, ...fields }, waitUntil: waitUntil ?? around?.waitUntil };
      return storage.run(scope, work);
    },
    outside: (work) => storage.run({ fields: {} }, work),
    current: () => storage.getStore()?.fields,
    waitUntil: () => storage.getStore()?.waitUntil,
  };
}
