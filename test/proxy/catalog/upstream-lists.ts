import type { JsonObject } from "../../../lib/kernel/json.ts";
import type { ListKind } from "../../../lib/upstream/catalog/kinds.ts";
import type { Ask } from "../../../lib/upstream/catalog/read-list.ts";
import type { UpstreamList } from "../../../lib/upstream/catalog/upstream-list.ts";

export const tool = (name: unknown, more: JsonObject = {}) => ({ name, inputSchema: { type: "object" }, ...more });

/** An upstream that answers with these results, one after another, and writes down what it was asked. */
export function answering(...results: readonly JsonObject[]): { readonly ask: Ask; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    ask: async (method, params) => {
      asked.push([method, params]);
      return results[asked.length - 1] ?? {};
    },
  };
}

/** A list as it is kept, of nothing but its weight and its time. */
export function listOf<K extends ListKind>(kind: K, { ttl = 60_000, weight = 10 } = {}): UpstreamList<K> {
  return { kind, entries: [], byName: new Map(), malformed: [], reduced: [], ttl, weight };
}
