import { AsyncLocalStorage } from "node:async_hooks";
import type { LogFields, LogScope } from "../lib/logging/logger.ts";

/** Follows the work through promises, timers and callbacks. Workers has this part of Node, too. */
export function asyncLogScope(): LogScope {
  const storage = new AsyncLocalStorage<LogFields>();
  return {
    run: (fields, work) => storage.run({ ...storage.getStore(), ...fields }, work),
    outside: (work) => storage.run({}, work),
    current: () => storage.getStore(),
  };
}
