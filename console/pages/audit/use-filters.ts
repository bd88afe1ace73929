import { useSearchParams } from "wouter";
import { FILTER_NAMES, type Filters, NO_FILTERS } from "./filters.ts";

/** The filters of the address, and how they change there without filling the browser's history. */
export function useFilters() {
  const [parameters, setParameters] = useSearchParams();
  const filters = Object.fromEntries(
    FILTER_NAMES.map((name) => [name, parameters.get(name) ?? ""]),
  ) as unknown as Filters;
  const write = (next: Filters) => {
    const given = FILTER_NAMES.filter((name) => next[name] !== "");
    setParameters(new URLSearchParams(given.map((name) => [name, next[name]])), { replace: true });
  };
  return {
    filters,
    change: (some: Partial<Filters>) => write({ ...filters, ...some }),
    clear: () => write(NO_FILTERS),
  };
}
