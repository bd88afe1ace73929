import type { ApiClient, ApiClientList } from "../../../lib/management/schemas/api-clients.ts";
import type { List } from "../../api/use-list.ts";
import { ListEnd } from "../../parts/list-end.tsx";
import { shownOfTotal } from "../../parts/of-total.ts";

export interface ReadOnProps {
  readonly list: List<ApiClient>;
  readonly isSearch: boolean;
  readonly isByName: boolean;
}

/** How many are shown of how many there are, and a button for more. */
export function ReadOn({ list, isSearch, isByName }: ReadOnProps) {
  const shown = list.items?.length ?? 0;
  if (shown === 0 || (!list.hasMore && !isSearch && shown < SHORT)) return null;
  const { searchedTo } = (list.lastPage ?? {}) as Partial<ApiClientList>;
  const noun = shown === 1 && !list.hasMore ? "API client" : "API clients";
  const words = `${shownOfTotal(list)} ${noun}${isSearch ? " found" : ""}`;
  return <ListEnd list={list} words={`${words}${looked(searchedTo, isByName)}`} more="Load more" />;
}

/** Nobody needs to be told that so few are all. */
const SHORT = 10;

/** Where not all were looked at. */
function looked(searchedTo: string | undefined, isByName: boolean): string {
  if (searchedTo === undefined) return "";
  const day = new Date(searchedTo).toLocaleDateString(undefined, { dateStyle: "medium" });
  return isByName ? `, of those created since ${day} alone` : `, looked at up to ${day}`;
}
