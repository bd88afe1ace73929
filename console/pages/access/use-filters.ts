import { useSearchParams } from "wouter";
import { ANSWERS, type Filters } from "./access.ts";
import type { CallerFilters } from "./callers.ts";

export type PageFilters = Filters & CallerFilters;

const KINDS: readonly string[] = ["api_client", "agent"];

/** All filters of the page, from its address, so that they can be passed on; they change there without filling the browser's history. */
export function useFilters(): readonly [PageFilters, (some: Partial<PageFilters>) => void] {
  const [parameters, setParameters] = useSearchParams();
  const text = (name: string) => parameters.get(name) ?? "";
  const oneOf = (name: string, known: readonly string[]) => (known.includes(text(name)) ? text(name) : "");
  const filters: PageFilters = {
    ...{ search: text("search"), person: text("person"), tool: text("tool"), app: text("app") },
    callers: oneOf("callers", KINDS) as PageFilters["callers"],
    answer: oneOf("answer", Object.keys(ANSWERS)) as PageFilters["answer"],
  };
  const change = (some: Partial<PageFilters>) => {
    const entries = Object.entries({ ...filters, ...some }).filter(([, value]) => value !== "");
    setParameters(new URLSearchParams(entries), { replace: true });
  };
  return [filters, change];
}
