import type { JsonObject } from "../../json.ts";
import { exchangeText } from "../names/exchange-text.ts";
import { exposed, type Naming } from "../names/namespaced.ts";
import { wrapURI } from "../names/resource-uri.ts";
import { META_PLACES } from "../names/uri-places.ts";
import { KINDS, type ListKind } from "./kinds.ts";
import { createMalformedCounter } from "./malformed.ts";
import { type Curation, createOffered } from "./offered.ts";
import type { ReadEntry, ReadList } from "./read-list.ts";
import type { UpstreamEntry, UpstreamList, UpstreamTool } from "./upstream-list.ts";
import { upstreamTool } from "./upstream-tool.ts";

/** A list as agents see it. Entries are told apart by what agents see: the first of two that look the same stays. */
export async function exposeList<K extends ListKind>(
  kind: K,
  app: Naming & Curation,
  list: ReadList,
): Promise<UpstreamList<K>>;
export async function exposeList(kind: ListKind, app: Naming & Curation, list: ReadList): Promise<UpstreamList> {
  const isOffered = kind === "tools" ? createOffered(app) : () => true;
  const malformed = createMalformedCounter(list.malformed);
  const byName = new Map<string, UpstreamTool | UpstreamEntry>();
  let weight = 0;
  for (const read of list.entries) {
    if (!isOffered(read.upstreamName)) continue;
    const entry = await exposedEntry(kind, app, read);
    if (byName.has(entry.name)) malformed.add("a name twice", read.upstreamName);
    else {
      byName.set(entry.name, entry);
      weight += read.length;
    }
  }
  const { reduced, ttl, cutAt } = list;
  const common = { malformed: malformed.counted(), reduced, ttl, weight, ...(cutAt !== undefined && { cutAt }) };
  return { kind, entries: [...byName.values()], byName, ...common } as UpstreamList;
}

async function exposedEntry(
  kind: ListKind,
  app: Naming,
  { upstreamName, definition }: ReadEntry,
): Promise<UpstreamEntry> {
  const { identifier } = KINDS[kind];
  const name = identifier === "name" ? await exposed(app.namespace, upstreamName) : wrapURI(app, upstreamName);
  const renamed = withWrappedMeta(
    app,
    exchangeText(definition, [identifier], () => name),
  );
  const entry = { upstreamName, name, definition: renamed };
  return kind === "tools" ? upstreamTool(entry) : entry;
}

/** `_meta` of tools says which page shows their results. */
function withWrappedMeta(app: Naming, definition: JsonObject): JsonObject {
  const wrap = (uri: string) => wrapURI(app, uri);
  return META_PLACES.reduce((changed, path) => exchangeText(changed, path, wrap), definition);
}
