/** Spells a time, milliseconds since the epoch, in UTC; a number where the format is one. */
export type FormatTime = (time: number) => string | number;

/** Also the names of units since the epoch; what is no name of a format reads as RFC3339Nano, the default. */
export function timeFormat(name: string): FormatTime {
  const unit = Object.hasOwn(UNITS, name) ? UNITS[name as keyof typeof UNITS] : undefined;
  if (unit !== undefined) return unit;
  const layout = Object.hasOwn(LAYOUTS, name) ? LAYOUTS[name as keyof typeof LAYOUTS] : LAYOUTS.RFC3339Nano;
  return layoutFormat(layout);
}

const UNITS = {
  Unix: (time: number) => Math.floor(time / 1000),
  UnixMilli: (time: number) => time,
  UnixMicro: (time: number) => time * 1e3,
  UnixNano: (time: number) => time * 1e6,
} satisfies Partial<Record<TimeFormat, FormatTime>>;

/** As Go's package `time` writes them: how it spells the second of January 2006, 15:04:05, in the zone MST, -0700. */
const LAYOUTS: Readonly<Record<Exclude<TimeFormat, keyof typeof UNITS>, string>> = {
  Layout: "01/02 03:04:05PM '06 -0700",
  ANSIC: "Mon Jan _2 15:04:05 2006",
  UnixDate: "Mon Jan _2 15:04:05 MST 2006",
  RubyDate: "Mon Jan 02 15:04:05 -0700 2006",
  RFC822: "02 Jan 06 15:04 MST",
  RFC822Z: "02 Jan 06 15:04 -0700",
  RFC850: "Monday, 02-Jan-06 15:04:05 MST",
  RFC1123: "Mon, 02 Jan 2006 15:04:05 MST",
  RFC1123Z: "Mon, 02 Jan 2006 15:04:05 -0700",
  RFC3339: "2006-01-02T15:04:05Z07:00",
  RFC3339Nano: "2006-01-02T15:04:05.999999999Z07:00",
  Kitchen: "3:04PM",
  Stamp: "Jan _2 15:04:05",
  StampMilli: "Jan _2 15:04:05.000",
  StampMicro: "Jan _2 15:04:05.000000",
  StampNano: "Jan _2 15:04:05.000000000",
  DateTime: "2006-01-02 15:04:05",
  DateOnly: "2006-01-02",
  TimeOnly: "15:04:05",
};

/** A part of a layout, from `2006-01-02T15:04:05.000Z` as the time itself is spelled so. */
type Part = (iso: string, date: Date) => string;

function layoutFormat(layout: string): FormatTime {
  const parts = layout.split(ELEMENT).map((text): Part => ELEMENTS[text] ?? (() => text));
  // Under load several entries share their millisecond.
  let last = { time: Number.NaN, text: "" };
  return (time) => {
    if (time !== last.time) last = { time, text: spelled(time, parts) };
    return last.text;
  };
}

function spelled(time: number, parts: readonly Part[]): string {
  const date = new Date(time);
  const iso = date.toISOString();
  let text = "";
  for (const part of parts) text += part(iso, date);
  return text;
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

const ELEMENTS: Readonly<Record<string, Part>> = {
  "2006": (iso) => iso.slice(0, 4),
  "06": (iso) => iso.slice(2, 4),
  "01": (iso) => iso.slice(5, 7),
  Jan: (_, date) => MONTHS[date.getUTCMonth()] as string,
  "02": (iso) => iso.slice(8, 10),
  _2: (_, date) => String(date.getUTCDate()).padStart(2),
  Monday: (_, date) => DAYS[date.getUTCDay()] as string,
  Mon: (_, date) => (DAYS[date.getUTCDay()] as string).slice(0, 3),
  "15": (iso) => iso.slice(11, 13),
  "03": (_, date) => String(hourOfTwelve(date)).padStart(2, "0"),
  "3": (_, date) => String(hourOfTwelve(date)),
  PM: (_, date) => (date.getUTCHours() < 12 ? "AM" : "PM"),
  "04": (iso) => iso.slice(14, 16),
  "05": (iso) => iso.slice(17, 19),
  // A clock knows milliseconds: what is finer is zero. Nines leave the zeros at the end out.
  ".000": (iso) => iso.slice(19, 23),
  ".000000": (iso) => `${iso.slice(19, 23)}000`,
  ".000000000": (iso) => `${iso.slice(19, 23)}000000`,
  ".999999999": (iso) => iso.slice(19, 23).replace(/\.?0+$/, ""),
  MST: () => "UTC",
  "-0700": () => "+0000",
  "Z07:00": () => "Z",
};

const ELEMENT = /(Monday|Mon|Jan|MST|PM|2006|-0700|Z07:00|\.9+|\.0+|01|02|03|04|05|06|15|_2|3)/;

function hourOfTwelve(date: Date): number {
  return date.getUTCHours() % 12 || 12;
}

/**
 * What `logger.timeFormat` accepts: the layouts that the package `time` of Go names, and the epoch in whole units, as
 * collectors of logs read it.
 */
export const TIME_FORMATS = [
  "ANSIC",
  "UnixDate",
  "RubyDate",
  "RFC822",
  "RFC822Z",
  "RFC850",
  "RFC1123",
  "RFC1123Z",
  "RFC3339",
  "RFC3339Nano",
  "Kitchen",
  "Stamp",
  "StampMilli",
  "StampMicro",
  "StampNano",
  "DateTime",
  "DateOnly",
  "TimeOnly",
  "Layout",
  "Unix",
  "UnixMilli",
  "UnixMicro",
  "UnixNano",
] as const;

export type TimeFormat = (typeof TIME_FORMATS)[number];
