import { Button } from "@mantine/core";
import type { List } from "../api/use-list.ts";
import classes from "./list-end.module.css";

export interface ListEndProps {
  readonly list: Pick<List<unknown>, "hasMore" | "isReadingMore" | "readMore">;
  /** How much of the list there is. */
  readonly words: string;
  /** What the button says, while there is more. */
  readonly more: string;
}

/** The line below a list. */
export function ListEnd({ list, words, more }: ListEndProps) {
  return (
    <div className={classes.end}>
      <span role="status">{words}</span>
      {list.hasMore && (
        <Button variant="default" size="xs" loading={list.isReadingMore} onClick={list.readMore}>
          {more}
        </Button>
      )}
    </div>
  );
}
