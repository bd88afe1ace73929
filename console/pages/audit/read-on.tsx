import { Button } from "@mantine/core";
import type { AuditEvent, AuditEventList } from "../../../lib/management/schemas/audit-events.ts";
import type { List } from "../../api/use-list.ts";
import { ListEnd } from "../../parts/list-end.tsx";
import { shownOfTotal } from "../../parts/of-total.ts";
import { Time } from "../../parts/time.tsx";
import classes from "./read-on.module.css";

export interface ReadOnProps {
  readonly list: List<AuditEvent>;
  readonly zone: "utc" | "local";
}

/** How many are shown of how many there are, and more of the list; where a search ended before the page was full, how far back it came, and a way to older records. */
export function ReadOn({ list, zone }: ReadOnProps) {
  const { searchedTo } = (list.lastPage ?? {}) as Partial<AuditEventList>;
  if (!list.hasMore || (searchedTo === undefined && list.items?.length !== 0)) {
    if (!list.hasMore && (list.items?.length ?? 0) < SHORT) return null;
    return <ListEnd list={list} words={`${shownOfTotal(list)} records`} more="Load more" />;
  }
  return (
    <div className={classes.searchOn}>
      <span role="status">
        Searched back to <Time value={searchedTo} zone={zone} />
      </span>
      <Button variant="default" loading={list.isReadingMore} onClick={list.readMore}>
        Search older records
      </Button>
    </div>
  );
}

/** Nobody needs to be told that so few are all. */
const SHORT = 10;
