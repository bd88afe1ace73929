import type { Stores } from "../../../lib/stores/stores.ts";
import type { Cleaning } from "../sqlite/cleaning.ts";
import type { ThreadCalls } from "./calls.ts";

/** What the store's thread offers. */
export interface ThreadPorts extends Stores {
  readonly cleaning: Cleaning;
}

/** Operations of a port that are carried out in the thread. Arguments and results are copied (structured clone). */
export function remote<P extends keyof ThreadPorts, O extends keyof ThreadPorts[P] & string>(
  thread: ThreadCalls,
  port: P,
  operations: readonly O[],
): Pick<ThreadPorts[P], O> {
  const call =
    (operation: O) =>
    (...args: readonly unknown[]) =>
      thread.call(port, operation, args);
  return Object.fromEntries(operations.map((operation) => [operation, call(operation)])) as Pick<ThreadPorts[P], O>;
}
