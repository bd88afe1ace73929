import { Button } from "@mantine/core";
import { useRef } from "react";
import classes from "./pager.module.css";

/** How many rows of a long list are drawn at once. */
export const PAGE_SIZE = 50;

/** The rows of a page; of the last one, when there is none such. */
export function rowsOf<Row>(
  rows: readonly Row[],
  page: number,
): { readonly shown: readonly Row[]; readonly page: number } {
  const last = Math.max(1, Math.ceil(rows.length / PAGE_SIZE));
  const current = Math.min(page, last);
  return { shown: rows.slice((current - 1) * PAGE_SIZE, current * PAGE_SIZE), page: current };
}

export interface PagerProps {
  /** Of all rows. */
  readonly count: number;
  readonly page: number;
  /** What one row is, and several: "tool", "tools". */
  readonly one: string;
  readonly many: string;
  readonly onPage: (page: number) => void;
}

/** Which rows are shown, and the way to the others. */
export function Pager({ count, page, one, many, onPage }: PagerProps) {
  const bar = useRef<HTMLElement>(null);
  const from = (page - 1) * PAGE_SIZE + 1;
  const to = Math.min(page * PAGE_SIZE, count);
  const isLast = to === count;
  if (count === 0) return null;
  const turn = (next: number) => {
    onPage(next);
    bar.current?.parentElement?.scrollIntoView({ block: "start" });
  };
  return (
    <nav ref={bar} className={classes.bar} aria-label={`Pages of ${many}`}>
      <span role="status">
        {count > PAGE_SIZE ? `${from.toLocaleString()}–${to.toLocaleString()} of ` : ""}
        {`${count.toLocaleString()} ${count === 1 ? one : many}`}
      </span>
      {count > PAGE_SIZE && (
        <span className={classes.buttons}>
          <Button variant="default" size="xs" {...unavailable(page === 1)} onClick={() => page > 1 && turn(page - 1)}>
            Previous
          </Button>
          <Button variant="default" size="xs" {...unavailable(isLast)} onClick={() => !isLast && turn(page + 1)}>
            Next
          </Button>
        </span>
      )}
    </nav>
  );
}

/** It keeps the focus, unlike one that is disabled for good. */
function unavailable(isUnavailable: boolean) {
  return isUnavailable ? { "aria-disabled": true, "data-disabled": true } : {};
}
