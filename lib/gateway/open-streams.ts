/** Counts the event streams that each caller holds open at this instance. */
export interface OpenStreams {
  isFull(caller: string): boolean;
  add(caller: string): void;
  remove(caller: string): void;
}

/** @param limit how many one caller may hold */
export function createOpenStreams(limit: number): OpenStreams {
  const counts = new Map<string, number>();
  const change = (caller: string, by: 1 | -1): void => {
    const count = (counts.get(caller) ?? 0) + by;
    if (count > 0) counts.set(caller, count);
    else counts.delete(caller);
  };
  return {
    isFull: (caller) => (counts.get(caller) ?? 0) >= limit,
    add: (caller) => change(caller, 1),
    remove: (caller) => change(caller, -1),
  };
}
