import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Generation } from "../generations.ts";
import { checkEntry } from "./check-entry.ts";
import { KINDS, type ListKind } from "./kinds.ts";
import { createMalformedCounter, type Malformed } from "./malformed.ts";
import { type Ask, readPages } from "./read-pages.ts";

/** What an upstream lists, as it wrote it, without what clients could not read. */
export interface ReadList {
  readonly entries: readonly ReadEntry[];
  readonly malformed: readonly Malformed[];
  /** Entries that are there without a member, by its name: clients do without it, and could not read it. */
  readonly reduced: readonly Malformed<string>[];
  /** How long it may be kept, milliseconds. */
  readonly ttl: number;
  /** Which bound ended it before the upstream did; absent: it is whole. */
  readonly cutAt?: "pages" | "entries" | "text";
}

export interface ReadEntry {
  readonly upstreamName: string;
  readonly definition: JsonObject;
  /** Characters of JSON. */
  readonly length: number;
}

export const MOST_PAGES = 100;
export const MOST_ENTRIES = 20_000;
/** Characters of JSON. */
export const MOST_TEXT = 32 * 1024 * 1024;
/** Where the upstream says nothing: those before MCP 2026-07-28 cannot. */
const DEFAULT_TTL = 60_000;
const LONGEST_TTL = 3_600_000;

/**
 * Reads all pages. An entry that is malformed costs itself alone, or a member that it can be without. An upstream that does not
 * know the method has an empty list.
 *
 * @param agent the generation of whoever reads it; the default is the one whose clients refuse more
 * @throws what `ask` rejects with
 */
export async function readList(kind: ListKind, ask: Ask, agent: Generation = "session"): Promise<ReadList> {
  const collected = createCollected(kind, agent);
  let ttl: number | undefined;
  let pages = 0;
  let cutAt: ReadList["cutAt"];
  for await (const { entries, isLast, ttlMs } of readPages(KINDS[kind], ask)) {
    pages += 1;
    ttl = ttlMs === undefined ? ttl : Math.min(ttl ?? LONGEST_TTL, ttlMs);
    cutAt = collected.add(entries) ?? (pages === MOST_PAGES && !isLast ? "pages" : undefined);
    if (cutAt !== undefined) break;
  }
  return { ...collected.list(), ttl: ttl ?? DEFAULT_TTL, ...(cutAt !== undefined && { cutAt }) };
}

function createCollected(kind: ListKind, agent: Generation) {
  const { identifier } = KINDS[kind];
  const kept = new Map<string, ReadEntry>();
  const malformed = createMalformedCounter();
  const reduced = createMalformedCounter<string>();
  let seen = 0;
  let text = 0;

  /** Which bound is reached with this entry, which is left out then. */
  function addOne(entry: unknown): ReadList["cutAt"] {
    seen += 1;
    if (seen > MOST_ENTRIES) return "entries";
    const { wrong, definition, without } = checkEntry(kind, entry, agent);
    const length = wrong === "nested too deeply" ? 0 : JSON.stringify(entry).length;
    text += length;
    if (text > MOST_TEXT) return "text";
    const upstreamName = isJsonObject(entry) ? entry[identifier] : undefined;
    if (wrong !== undefined || typeof upstreamName !== "string") malformed.add(wrong ?? "not an object", upstreamName);
    else if (kept.has(upstreamName)) malformed.add("a name twice", upstreamName);
    else {
      kept.set(upstreamName, { upstreamName, definition, length });
      for (const member of without) reduced.add(member, upstreamName);
    }
    return undefined;
  }

  return {
    /** Which bound ended it; undefined: there is room for more. */
    add(entries: readonly unknown[]): ReadList["cutAt"] {
      for (const entry of entries) {
        const cutAt = addOne(entry);
        if (cutAt !== undefined) return cutAt;
      }
      return undefined;
    },
    list: () => ({ entries: [...kept.values()], malformed: malformed.counted(), reduced: reduced.counted() }),
  };
}
