import type { Context } from "hono";
import { base62, crc32 } from "../../lib/kernel/checksum.ts";
import type { Page, PageRequest } from "../../lib/stores/paging.ts";
import type { Env } from "../env.ts";
import { invalidQuery, textQuery } from "./query.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** Room for a name, behind which a list goes on. */
const MAX_CURSOR = 2048;
/** Digits that hold every CRC-32. */
const CHECKSUM_LENGTH = 6;

/**
 * `limit` (1 to 200, default 50) and `cursor`: one that this list gave out. Stores read a text that is no cursor as the
 * beginning, which whoever reads all pages would not notice.
 * @throws ProblemError `invalid_field`
 */
export function pageQuery(c: Context<Env>): PageRequest {
  const limit = textQuery(c, "limit");
  if (limit !== undefined && !(/^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= MAX_LIMIT)) {
    throw invalidQuery("limit", `must be a number from 1 to ${MAX_LIMIT}`);
  }
  const cursor = textQuery(c, "cursor", MAX_CURSOR);
  return {
    limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
    ...(cursor !== undefined && { cursor: storeCursor(c, cursor) }),
  };
}

/** A page of a store as the list shows it: its cursor gets a checksum, which tells one that was cut, or is another list's. */
export function shownPage<Item, Shown>(
  c: Context<Env>,
  { items, nextCursor }: Page<Item>,
  represent: (item: Item) => Shown,
): { readonly items: Shown[]; readonly nextCursor?: string } {
  return { items: items.map(represent), ...shownCursor(c, nextCursor) };
}

/** The same for what goes through a list page by page and shows none of it. */
export function shownCursor(c: Context<Env>, nextCursor: string | undefined): { readonly nextCursor?: string } {
  return nextCursor === undefined ? {} : { nextCursor: nextCursor + checksum(c, nextCursor) };
}

function storeCursor(c: Context<Env>, text: string): string {
  const cursor = text.slice(0, -CHECKSUM_LENGTH);
  if (text === cursor + checksum(c, cursor)) return cursor;
  throw invalidQuery("cursor", "must be the nextCursor of an earlier page of this list, unchanged");
}

function checksum(c: Context<Env>, cursor: string): string {
  return base62(crc32(`${c.req.path} ${cursor}`), CHECKSUM_LENGTH);
}
