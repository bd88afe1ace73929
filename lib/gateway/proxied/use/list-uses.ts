import type { JsonObject } from "../../../json.ts";
import { KINDS, type ListKind } from "../../../proxy/catalog/kinds.ts";
import { mayOwn } from "../../../proxy/names/owned.ts";
import type { Gateway } from "../../gateway.ts";
import type { HiddenName } from "../hidden-names.ts";
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
  const byName = new Map<string, { readonly app: string; readonly definition: JsonObject }>();
  const hidden: HiddenName[] = [];
  for (const { app, list } of await listsOf(kind, allowed, caller, gateway)) {
    for (const { name, definition } of list.entries) {
      if (kind === "prompts" && !mayOwn(visible, name).includes(app)) continue;
      const known = byName.get(name);
      if (known === undefined) byName.set(name, { app: app.name, definition });
      else hidden.push({ app: app.name, behind: known.app, name });
    }
  }
  gateway.proxies.hiddenNames.tell(kind, hidden, caller.request.logger);
  return [...byName.values()].map(({ definition }) => definition);
}
