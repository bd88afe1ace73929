import { Button } from "@mantine/core";
import type { List } from "../api/use-list.ts";
import classes from "./load-more.module.css";

export interface LoadMoreProps {
  readonly list: Pick<List<unknown>, "items" | "hasMore" | "isReadingMore" | "readMore">;
  /** What the items are: "API clients". */
  readonly noun: string;
}

/** At the end of a list: how much of it is shown, and a button for more. */
export function LoadMore({ list, noun }: LoadMoreProps) {
  const count = list.items?.length ?? 0;
  if (!list.hasMore && count < SHORT) return null;
  return (
    <div className={classes.more}>
      <span role="status">{list.hasMore ? `The first ${count} ${noun}` : `All ${count} ${noun}`}</span>
      {list.hasMore && (
        <Button variant="default" size="xs" loading={list.isReadingMore} onClick={list.readMore}>
          Load more
        </Button>
      )}
    </div>
  );
}

/** Nobody needs to be told that so few are all. */
const SHORT = 10;
