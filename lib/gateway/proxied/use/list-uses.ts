import type { JsonObject } from "../../../json.ts";
import { KINDS, type ListKind } from "../../../proxy/catalog/kinds.ts";
import { mayOwn } from "../../../proxy/names/owned.ts";
import type { Gateway } from "../../gateway.ts";
import { listsOf } from "../lists.ts";
import { visibleProxies } from "../visible-proxies.ts";
import { allowing } from "./decide.ts";
import type { UseCaller } from "./use.ts";

/**
 * What all upstreams list for the caller, in the order of the apps; of entries that look the same, the first. An app whose
 * policies would allow none of it lists nothing.
 */
export async function listUses(
  kind: Exclude<ListKind, "tools">,
  caller: UseCaller,
  gateway: Gateway,
): Promise<readonly JsonObject[]> {
  const { method } = KINDS[kind];
  const visible = await visibleProxies(caller.identity, gateway);
  const allowed = await allowing(method, visible, caller, gateway);
  const byName = new Map<string, JsonObject>();
  for (const { app, list } of await listsOf(kind, allowed, caller, gateway)) {
    for (const { name, definition } of list.entries) {
      const isOwn = kind !== "prompts" || mayOwn(visible, name).includes(app);
      if (isOwn && !byName.has(name)) byName.set(name, definition);
    }
  }
  return [...byName.values()];
}
