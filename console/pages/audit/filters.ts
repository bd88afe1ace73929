import type { Query } from "../../api/request.ts";

/** What the page looks for. Every value is a text of the address; the empty text is no condition. */
export interface Filters {
  readonly type: string;
  readonly outcome: string;
  readonly actor: string;
  readonly agent: string;
  readonly user: string;
  readonly tool: string;
  /** A span that ends now, for example `24h`, or `custom`. */
  readonly span: string;
  /** With `custom`: in the person's own time, as inputs of type `datetime-local` have it. */
  readonly from: string;
  readonly to: string;
  /** `true`: the records of the instance. */
  readonly instance: string;
}

export const NO_FILTERS: Filters = {
  type: "",
  outcome: "",
  actor: "",
  agent: "",
  user: "",
  tool: "",
  span: "",
  from: "",
  to: "",
  instance: "",
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

export function isFiltered(filters: Filters): boolean {
  return FILTER_NAMES.some((name) => filters[name] !== "");
}

/** The filters as parameters of the API. A span begins at a full minute, so that the same list is not read anew all the time. */
export function queryOf(filters: Filters): Query {
  const { type, outcome, actor, agent, user, tool, instance } = filters;
  return { type, outcome, actor, agent, user, tool, instance: instance === "true" || undefined, ...timesOf(filters) };
}

function timesOf({ span, from, to }: Filters): Query {
  if (span === "custom") return { from: toISO(from), to: toISO(to) };
  const length = SPANS[span]?.length;
  if (length === undefined) return {};
  return { from: new Date(Math.floor((Date.now() - length) / 60_000) * 60_000).toISOString() };
}

function toISO(local: string): string | undefined {
  const time = Date.parse(local);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
