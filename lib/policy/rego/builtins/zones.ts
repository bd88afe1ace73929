/** A time on the clock of a zone. Months count from 1; members beyond their range are carried over. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  /** Seconds east of UTC. */
  readonly offset: number;
  /** As `MST` prints it: an abbreviation, or the offset. */
  readonly zoneName: string;
}

const BILLION = 1_000_000_000n;

/** The name as it is used here; undefined: the runtime knows no such zone. `Local` is UTC. */
export function zoneOf(name: string): string | undefined {
  if (name === "" || name === "UTC" || name === "Local") return "UTC";
  // Names of the tz database alone; Intl takes offsets, too.
  if (!/^[A-Za-z][\w+/-]*$/.test(name) || name.length > 64) return undefined;
  try {
    clockOf(name);
    return name;
  } catch {
    return undefined;
  }
}

export function inZone(nanoseconds: bigint, zone: string): LocalTime {
  const seconds = floor(nanoseconds, BILLION);
  const milliseconds = Number(seconds) * 1_000;
  const offset = offsetAt(milliseconds, zone);
  const local = localTime(milliseconds + offset * 1_000);
  const zoneName = zone === "UTC" ? "UTC" : abbreviation(milliseconds, zone, offset);
  return { ...local, nanosecond: Number(nanoseconds - seconds * BILLION), offset, zoneName };
}

/** Of milliseconds since 1970 as if the zone were UTC. */
export function localTime(milliseconds: number): LocalTime {
  const date = new Date(milliseconds);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nanosecond: 0,
    offset: 0,
    zoneName: "UTC",
  };
}

/** @param zone undefined: `time.offset` says how far from UTC it is */
export function nanosecondsOf(time: LocalTime, zone: string | undefined): bigint {
  const date = new Date(0);
  date.setUTCFullYear(time.year, time.month - 1, time.day);
  date.setUTCHours(time.hour, time.minute, time.second);
  const local = date.getTime();
  if (Number.isNaN(local)) return BILLION * BILLION * BILLION;
  const offset = zone === undefined ? time.offset : offsetOfLocal(local, zone);
  return BigInt(local / 1_000 - offset) * BILLION + BigInt(time.nanosecond);
}

/** As Go's `time.Date` tries: the offset at about that time, and the one before or after a change. */
function offsetOfLocal(local: number, zone: string): number {
  const first = offsetAt(local, zone);
  if (first === 0 && zone === "UTC") return 0;
  const second = offsetAt(local - first * 1_000, zone);
  return second === first ? first : offsetAt(local - second * 1_000, zone) === second ? second : first;
}

const clocks = new Map<string, Intl.DateTimeFormat>();
/** Zones whose clocks are kept. */
const KEPT = 50;

/** @throws RangeError where the zone is not known */
function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    hourCycle: "h23",
    timeZoneName: "short",
  });
  if (clocks.size >= KEPT) clocks.clear();
  clocks.set(zone, clock);
  return clock;
}

function partsAt(milliseconds: number, zone: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    clockOf(zone)
      .formatToParts(milliseconds)
      .map(({ type, value }) => [type, value]),
  );
}

function offsetAt(milliseconds: number, zone: string): number {
  if (zone === "UTC") return 0;
  const parts = partsAt(milliseconds, zone);
  const year = parts.era === "BC" ? 1 - Number(parts.year) : Number(parts.year);
  const date = new Date(0);
  date.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
  date.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
  return Math.round((date.getTime() - Math.floor(milliseconds / 1_000) * 1_000) / 1_000);
}

/** Intl knows few abbreviations; what Go prints for zones without any is their offset. */
function abbreviation(milliseconds: number, zone: string, offset: number): string {
  const name = partsAt(milliseconds, zone).timeZoneName ?? "";
  return /^[A-Z]{3,5}$/.test(name) && name !== "GMT" ? name : name === "GMT" ? "GMT" : offsetText(offset, "");
}

export function offsetText(offset: number, separator: string): string {
  const size = Math.abs(offset);
  const [hours, minutes] = [Math.floor(size / 3_600), Math.floor((size % 3_600) / 60)];
  const text = `${offset < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}`;
  return separator === "" && minutes === 0 ? text : `${text}${separator}${String(minutes).padStart(2, "0")}`;
}

function floor(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return quotient * by > value ? quotient - 1n : quotient;
}
