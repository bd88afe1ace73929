import { useLocation, useSearchParams } from "wouter";
import { useLocationProperty } from "wouter/use-browser-location";

const TABS = ["tools", "servers", "left-out", "sessions", "upstreams"] as const;

export type GatewayTab = (typeof TABS)[number];

/** What the lists are narrowed to, and the tool that is open. Empty texts are no condition. */
export interface GatewayFilters {
  readonly text: string;
  readonly app: string;
  /** From 1. */
  readonly page: number;
  readonly tool: string;
}

/** What of the page stands in the address, so that it can be linked: the tab as the fragment, filters as the query. */
export function useGatewayAddress() {
  const fragment = useLocationProperty(() => window.location.hash.slice(1));
  const [query] = useSearchParams();
  const [, navigate] = useLocation();
  const tab = isGatewayTab(fragment) ? fragment : "tools";
  const filters = filtersOf(query);
  const write = (next: GatewayFilters, at: GatewayTab) =>
    navigate(`/gateway${searchOf(next)}#${at}`, { replace: true });
  return {
    tab,
    filters,
    open: (next: GatewayTab) => write({ ...filters, text: "", page: 1, tool: "" }, next),
    /** Another condition begins at the first page. */
    change: (some: Partial<GatewayFilters>) => write({ ...filters, page: 1, ...some }, tab),
    /** Narrows to one app, at another tab. */
    openApp: (app: string, next: GatewayTab) => write({ text: "", app, page: 1, tool: "" }, next),
  };
}

export function isGatewayTab(value: string | null): value is GatewayTab {
  return TABS.some((tab) => tab === value);
}

function filtersOf(query: URLSearchParams): GatewayFilters {
  const page = Number(query.get("page") ?? "1");
  return {
    text: query.get("text") ?? "",
    app: query.get("app") ?? "",
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    tool: query.get("tool") ?? "",
  };
}

function searchOf({ text, app, page, tool }: GatewayFilters): string {
  const given = Object.entries({ text, app, page: page === 1 ? "" : String(page), tool }).filter(([, value]) => value);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
