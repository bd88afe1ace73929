import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { METHOD_NOT_FOUND, RpcError } from "../../protocol/mcp/json-rpc.ts";
import type { Generation } from "../generations.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { brokenJson } from "../wire/upstream-failure.ts";
import { checkEntry } from "./check-entry.ts";
import { KINDS, type KindTerms, type ListKind } from "./kinds.ts";
import { createMalformedCounter, type Malformed } from "./malformed.ts";

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
  /** All of it, also what clients could not read. */
  readonly listed: JsonObject;
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
    if (wrong !== undefined || typeof upstreamName !== "string" || !isJsonObject(entry))
      malformed.add(wrong ?? "not an object", upstreamName);
    else if (kept.has(upstreamName)) malformed.add("a name twice", upstreamName);
    else {
      kept.set(upstreamName, { upstreamName, definition, listed: entry, length });
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

/** Sends a request to an upstream. Rejects with `RpcError` or `UpstreamRefusal` where the upstream answers with an error. */
export type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;

interface Page {
  readonly entries: readonly unknown[];
  /** How long the upstream lets it be kept, milliseconds, 0 and more; absent: it does not say. */
  readonly ttlMs?: number;
  readonly isLast: boolean;
}

/**
 * The pages of a list, one after another as they are wanted, until the upstream has no more or names a page that it named
 * before. Of a method that the upstream does not know there are none.
 *
 * @throws what `ask` rejects with, also for a later page: half a list looks like tools that are gone
 */
export async function* readPages(
  { method, member }: Pick<KindTerms, "method" | "member">,
  ask: Ask,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const result = await askFor(method, cursor, ask);
    if (result === undefined) return;
    const entries = result[member];
    if (!Array.isArray(entries)) throw brokenJson(`the answer to ${method} has no list of ${member}`);
    const { ttlMs } = result;
    cursor = nextOf(result, seen);
    yield { entries, isLast: cursor === undefined, ...(isNumber(ttlMs) && { ttlMs: Math.max(0, ttlMs) }) };
  } while (cursor !== undefined);
}

/** Undefined where the upstream does not know the method. */
async function askFor(method: string, cursor: string | undefined, ask: Ask): Promise<JsonObject | undefined> {
  try {
    return await ask(method, cursor === undefined ? {} : { cursor });
  } catch (error) {
    if (cursor === undefined && codeOf(error) === METHOD_NOT_FOUND) return undefined;
    throw error;
  }
}

function codeOf(error: unknown): number | undefined {
  if (error instanceof UpstreamRefusal) return error.error?.code;
  return error instanceof RpcError ? error.code : undefined;
}

/** The empty text is a cursor like any other (MCP, Pagination). */
function nextOf({ nextCursor }: JsonObject, seen: Set<string>): string | undefined {
  if (typeof nextCursor !== "string" || seen.has(nextCursor)) return undefined;
  seen.add(nextCursor);
  return nextCursor;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
