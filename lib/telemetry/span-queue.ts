/** What waits for its export, oldest first, and never more than it may be. */
export interface SpanQueue<T> {
  readonly size: number;
  /** False when the queue is full: then it is lost. */
  add(item: T): boolean;
  /** Takes the oldest away, `count` of them at most. */
  take(count: number): readonly T[];
}

export function createSpanQueue<T>(capacity: number): SpanQueue<T> {
  let items: T[] = [];
  return {
    get size() {
      return items.length;
    },
    add: (item) => {
      if (items.length >= capacity) return false;
      items.push(item);
      return true;
    },
    take: (count) => {
      if (count < items.length) return items.splice(0, count);
      const all = items;
      items = [];
      return all;
    },
  };
}
