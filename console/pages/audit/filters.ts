import type { Query } from "../../api/request.ts";

/** What the page looks for. Every value is a text of the address; the empty text is no condition. */
export interface Filters {
  /** A part of a name, a tool, an outcome, a reason, a scope or an id. */
  readonly q: string;
  readonly type: string;
  readonly outcome: string;
  readonly actor: string;
  readonly agent: string;
  readonly user: string;
  readonly tool: string;
  readonly requestId: string;
  /** A span that ends now, for example `24h`, `yesterday`, or `custom`. */
  readonly span: string;
  /** With `custom`: in the person's own time or in UTC, as inputs of type `datetime-local` have it. */
  readonly from: string;
  readonly to: string;
  /** `true`: the records of the instance. */
  readonly instance: string;
  /** `utc`: times are shown and entered in UTC; empty: in the person's own time. It is no condition. */
  readonly zone: string;
}

export const NO_FILTERS: Filters = {
  q: "",
  type: "",
  outcome: "",
  actor: "",
  agent: "",
  user: "",
  tool: "",
  requestId: "",
  span: "",
  from: "",
  to: "",
  instance: "",
  zone: "",
};

export const FILTER_NAMES = Object.keys(NO_FILTERS) as readonly (keyof Filters)[];

const HOUR = 3_600_000;

/** Spans to choose from, with their lengths in milliseconds. */
export const SPANS: Readonly<Record<string, { readonly label: string; readonly length: number }>> = {
  "1h": { label: "Last hour", length: HOUR },
  "24h": { label: "Last 24 hours", length: 24 * HOUR },
  "7d": { label: "Last 7 days", length: 7 * 24 * HOUR },
  "30d": { label: "Last 30 days", length: 30 * 24 * HOUR },
};

/** The day before the current one, from midnight to midnight. */
export const YESTERDAY = "yesterday";

export function zoneOf({ zone }: Pick<Filters, "zone">): "utc" | "local" {
  return zone === "utc" ? "utc" : "local";
}

export function isFiltered(filters: Filters): boolean {
  return FILTER_NAMES.some((name) => name !== "zone" && filters[name] !== "");
}

/** The filters as parameters of the API. A span begins at a full minute, so that the same list is not read anew all the time. */
export function queryOf(filters: Filters): Query {
  const { span: _, from: _from, to: _to, zone: _zone, instance, ...conditions } = filters;
  return { ...conditions, instance: instance === "true" || undefined, ...timesOf(filters) };
}

function timesOf({ span, from, to, zone }: Filters): Query {
  if (span === YESTERDAY) return { from: midnight(-1, zone), to: midnight(0, zone) };
  if (span === "custom") return { from: toISO(from, zone), to: toISO(to, zone) };
  const length = SPANS[span]?.length;
  if (length === undefined) return {};
  return { from: new Date(Math.floor((Date.now() - length) / 60_000) * 60_000).toISOString() };
}

/** With which a day begins, so many days from now, in the person's own time or in UTC. */
function midnight(days: number, zone: string): string {
  const day = new Date();
  if (zone === "utc") day.setUTCHours(24 * days, 0, 0, 0);
  else day.setHours(24 * days, 0, 0, 0);
  return day.toISOString();
}

function toISO(local: string, zone: string): string | undefined {
  const time = Date.parse(zone === "utc" && local !== "" ? `${local}Z` : local);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
