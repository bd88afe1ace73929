export interface TimeProps {
  /** ISO 8601; a dash is shown without it. */
  readonly value: string | undefined;
  /** `date` leaves the time of day out, `full` has seconds, `relative` says how long ago it was. */
  readonly format?: "short" | "date" | "full" | "relative";
  /** Shown when there is no time: "never". */
  readonly fallback?: string;
  /** Absent: the person's own. With a zone, its name is shown. */
  readonly zone?: "utc" | "local";
}

/** A moment in the person's own time, or in UTC; the pointer finds it in UTC. */
export function Time({ value, format = "short", fallback = "–", zone }: TimeProps) {
  const time = value === undefined ? Number.NaN : Date.parse(value);
  if (Number.isNaN(time)) return <span>{fallback}</span>;
  const date = new Date(time);
  const words =
    zone !== undefined
      ? zoned(date, zone)
      : format === "relative"
        ? relative(date)
        : new Intl.DateTimeFormat(undefined, FORMAT[format]).format(date);
  return (
    <time dateTime={date.toISOString()} title={titleOf(date, format)}>
      {words}
    </time>
  );
}

const FORMAT = {
  short: { dateStyle: "medium", timeStyle: "short" },
  date: { dateStyle: "medium" },
  full: { dateStyle: "medium", timeStyle: "medium" },
} as const;

/** With seconds and the name of the zone: Intl takes no style beside a zone's name. */
function zoned(date: Date, zone: "utc" | "local"): string {
  const parts = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" } as const;
  const more = { second: "2-digit", timeZoneName: "short", ...(zone === "utc" && { timeZone: "UTC" }) } as const;
  return new Intl.DateTimeFormat(undefined, { ...parts, ...more }).format(date);
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** "5 minutes ago", "in 3 days"; above a month, the date. */
function relative(date: Date): string {
  const seconds = (date.getTime() - Date.now()) / 1000;
  if (Math.abs(seconds) > 30 * 86_400) return new Intl.DateTimeFormat(undefined, FORMAT.date).format(date);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["minute", 60];
  const amount = Math.trunc(seconds / size);
  if (amount === 0) return seconds > 0 ? "in a moment" : "just now";
  return new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }).format(amount, unit);
}

function titleOf(date: Date, format: TimeProps["format"]): string {
  const utc = `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  return format === "relative" ? `${new Intl.DateTimeFormat(undefined, FORMAT.full).format(date)} · ${utc}` : utc;
}
