import type { ApiClientList } from "../../lib/management/schemas/api-clients.ts";
import type { List } from "../api/use-list.ts";

type Total = ApiClientList["total"];

/** How many are shown of how many there are: "50 of 3,214", "50 of 10,000+", or of a whole list "12". */
export function shownOfTotal({ items, hasMore, firstPage }: List<unknown>): string {
  const shown = items?.length ?? 0;
  const { total } = (firstPage ?? {}) as { readonly total?: Total };
  return hasMore ? `${shown.toLocaleString("en")} of ${atLeast(shown, total)}` : shown.toLocaleString("en");
}

/** There are more than are shown. */
function atLeast(shown: number, total: Total): string {
  if (total === undefined || total.count <= shown) return `more than ${shown.toLocaleString("en")}`;
  return `${total.count.toLocaleString("en")}${total.isExact ? "" : "+"}`;
}
