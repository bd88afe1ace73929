import type { List } from "../../api/use-list.ts";
import { ListEnd } from "../../parts/list-end.tsx";
import { LoadMore } from "../../parts/load-more.tsx";

export interface ReadOnProps {
  readonly list: List<unknown>;
  readonly isSearch: boolean;
}

/** More of the list. Of a search it tells how many were found, and whether there is more to look at. */
export function ReadOn({ list, isSearch }: ReadOnProps) {
  if (!isSearch) return <LoadMore list={list} noun="API clients" />;
  const count = list.items?.length ?? 0;
  if (count === 0 && !list.hasMore) return null;
  const found = count === 1 ? "1 API client found" : `${count} API clients found`;
  const words = list.hasMore ? `${found} so far: not all have been searched` : found;
  return <ListEnd list={list} words={words} more="Search further" />;
}
