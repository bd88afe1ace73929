import type { List } from "../api/use-list.ts";
import { ListEnd } from "./list-end.tsx";

export interface LoadMoreProps {
  readonly list: Pick<List<unknown>, "items" | "hasMore" | "isReadingMore" | "readMore">;
  /** What the items are: "API clients". */
  readonly noun: string;
}

/** At the end of a list: how much of it is shown, and a button for more. */
export function LoadMore({ list, noun }: LoadMoreProps) {
  const count = list.items?.length ?? 0;
  if (!list.hasMore && count < SHORT) return null;
  const words = list.hasMore ? `The first ${count} ${noun}` : `All ${count} ${noun}`;
  return <ListEnd list={list} words={words} more="Load more" />;
}

/** Nobody needs to be told that so few are all. */
const SHORT = 10;
