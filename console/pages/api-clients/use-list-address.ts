import { useSearchParams } from "wouter";
import { DEFAULT_SORT, SORTS, type Sort } from "./sorts.ts";

/** What the address says: what is searched for, in which order, and whether the form for a new client is open. */
export function useListAddress() {
  const [parameters, setParameters] = useSearchParams();
  const write = (name: string, value: string) =>
    setParameters(
      (former) => {
        const next = new URLSearchParams(former);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return {
    search: parameters.get("search") ?? "",
    setSearch: (search: string) => write("search", search),
    sort: SORTS.find(({ value }) => value === parameters.get("sort"))?.value ?? DEFAULT_SORT,
    setSort: (sort: Sort) => write("sort", sort === DEFAULT_SORT ? "" : sort),
    isCreating: parameters.get("create") === "true",
    setCreating: (isCreating: boolean) => write("create", isCreating ? "true" : ""),
  };
}
