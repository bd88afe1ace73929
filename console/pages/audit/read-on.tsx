import { Button } from "@mantine/core";
import type { List } from "../../api/use-list.ts";
import { LoadMore } from "../../parts/load-more.tsx";
import classes from "./read-on.module.css";

/** More of the list; where nothing was found among the newest records, the search goes on with older ones. */
export function ReadOn({ list }: { readonly list: List<unknown> }) {
  if (!list.hasMore || list.items?.length !== 0) return <LoadMore list={list} noun="records" />;
  return (
    <div className={classes.searchOn}>
      <Button variant="default" loading={list.isReadingMore} onClick={list.readMore}>
        Search older records
      </Button>
    </div>
  );
}
