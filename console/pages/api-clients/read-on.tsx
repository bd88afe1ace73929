import { Button } from "@mantine/core";
import type { List } from "../../api/use-list.ts";
import { LoadMore } from "../../parts/load-more.tsx";
import classes from "./read-on.module.css";

export interface ReadOnProps {
  readonly list: List<unknown>;
  readonly isSearch: boolean;
}

/** More of the list. Of a search it tells how many were found, and whether there is more to look at. */
export function ReadOn({ list, isSearch }: ReadOnProps) {
  if (!isSearch) return <LoadMore list={list} noun="API clients" />;
  const count = list.items?.length ?? 0;
  if (count === 0 && !list.hasMore) return null;
  return (
    <div className={classes.more}>
      <span role="status">
        {count === 1 ? "1 API client found" : `${count} API clients found`}
        {list.hasMore && " so far: not all have been searched"}
      </span>
      {list.hasMore && (
        <Button variant="default" size="xs" loading={list.isReadingMore} onClick={list.readMore}>
          Search further
        </Button>
      )}
    </div>
  );
}
