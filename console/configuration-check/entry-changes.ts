import { valueAt } from "../../lib/config/path.ts";
import type { Edit, Entry, EntryList, EntryPlace } from "./protocol.ts";
import { type Change, EditRefused, isObject, isSame } from "./yaml-data.ts";

const ONE: Readonly<Record<EntryList, string>> = { limits: "limit", connectors: "connector" };

/** What becomes of one entry of a list: it is added at the end, changed key by key, or taken away. @throws EditRefused */
export function entryChanges(
  data: unknown,
  edit: Extract<Edit, { readonly kind: "addEntry" | "changeEntry" | "removeEntry" }>,
): readonly Change[] {
  if (edit.kind === "addEntry") {
    const { list, entry } = edit;
    const names = namesIn(data, list);
    refuseTaken(names, list, entry);
    return [
      ...(data === undefined ? [{ path: ["version"], value: "1" }] : []),
      { path: [list, names.length], value: entry },
    ];
  }
  const { at } = edit;
  const path = [at.list, at.index];
  entryAt(data, at);
  if (edit.kind === "removeEntry") return [{ path, value: undefined }];
  const { from, to } = edit;
  refuseTaken(namesIn(data, at.list).toSpliced(at.index, 1), at.list, to);
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...keys].flatMap((key) =>
    isSame(from[key], to[key]) ? [] : [{ path: [...path, key], value: to[key], keep: path.length }],
  );
}

/** The entry that the person sees in the list, which may be older than the text. @throws EditRefused */
export function entryAt(data: unknown, { list, index, name }: EntryPlace): Entry {
  const entry = valueAt(data, [list, index]);
  if (isObject(entry) && (entry.name ?? "") === name) return entry;
  throw new EditRefused(`The ${ONE[list]} is not in the text any more.`);
}

function namesIn(data: unknown, list: EntryList): readonly unknown[] {
  const entries = valueAt(data, [list]);
  if (entries === undefined || entries === null) return [];
  if (!Array.isArray(entries)) throw new EditRefused(`${list} is no list.`);
  return entries.map((entry: unknown) => valueAt(entry, ["name"]));
}

function refuseTaken(names: readonly unknown[], list: EntryList, { name }: Entry): void {
  if (names.includes(name)) throw new EditRefused(`There is a ${ONE[list]} with the name ${String(name)} already.`);
}
