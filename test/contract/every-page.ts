import { expect } from "vitest";
import type { Page, PageRequest } from "../../lib/stores/paging.ts";

/** Everything that a list shows, page by page. */
export async function everyPage<T>(
  list: (page: PageRequest) => Promise<Page<T>>,
  limit: number,
): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit, ...(cursor !== undefined && { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}
