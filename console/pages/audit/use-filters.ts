import { useSearchParams } from "wouter";
import { FILTER_NAMES, type Filters, NO_FILTERS } from "./filters.ts";

/** The id of the record that is open, in the address, so that a record can be passed on. */
const RECORD = "record";

/** The filters of the address and the record that is open, and how they change there without filling the browser's history. */
export function useFilters() {
  const [parameters, setParameters] = useSearchParams();
  const filters = Object.fromEntries(
    FILTER_NAMES.map((name) => [name, parameters.get(name) ?? ""]),
  ) as unknown as Filters;
  const record = parameters.get(RECORD) ?? "";
  const write = (next: Filters, opened: string) => {
    const all = [...FILTER_NAMES.map((name) => [name, next[name]] as const), [RECORD, opened] as const];
    setParameters(new URLSearchParams(all.filter(([, value]) => value !== "").map(([name, value]) => [name, value])), {
      replace: true,
    });
  };
  return {
    filters,
    record,
    /** Closes the record: a search is for others. */
    change: (some: Partial<Filters>) => write({ ...filters, ...some }, ""),
    open: (id: string) => write(filters, id),
    clear: () => write({ ...NO_FILTERS, zone: filters.zone }, ""),
  };
}

/** The address of one record, to pass on. */
export function recordAddress(id: string, { instance }: Pick<Filters, "instance">): string {
  const of: Readonly<Record<string, string>> = instance === "true" ? { instance } : {};
  return `${location.origin}/console/audit?${new URLSearchParams({ ...of, [RECORD]: id })}`;
}
