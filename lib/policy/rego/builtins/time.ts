import { spend } from "../budget.ts";
import { fromBigInt, type RegoNumber, toBigInt } from "../number.ts";
import { isArray, typeName, type Value } from "../value.ts";
import { formatTime, LAYOUTS, parseTime } from "./go-layout.ts";
import { type Builtins, builtinError, integerAt, numberAt, operandError, stringAt, typeError } from "./operands.ts";
import { inZone, type LocalTime, localTime, nanosecondsOf, zoneOf } from "./zones.ts";

/** OPA, "Time". Times are nanoseconds since 1970, alone or as `[ns, zone]` and `[ns, zone, layout]`. */
export const TIMES: Builtins = {
  "time.now_ns": (_, { now }) => fromBigInt(now),
  "time.parse_ns": (values) => {
    const layout = stringAt(values, 0);
    return safe(parseTime(LAYOUTS[layout] ?? layout, stringAt(values, 1)));
  },
  "time.parse_rfc3339_ns": (values) => safe(parseTime(LAYOUTS.RFC3339 as string, stringAt(values, 0))),
  "time.parse_duration_ns": (values) => parseDuration(stringAt(values, 0)),
  "time.format": (values) => {
    const { time, layout } = timeAt(values, 0);
    return formatTime(time, layout === "" ? (LAYOUTS.RFC3339Nano as string) : (LAYOUTS[layout] ?? layout));
  },
  "time.date": (values) => {
    const { time } = timeAt(values, 0);
    return [time.year, time.month, time.day];
  },
  "time.clock": (values) => {
    const { time } = timeAt(values, 0);
    return [time.hour, time.minute, time.second];
  },
  "time.weekday": (values) => formatTime(timeAt(values, 0).time, "Monday"),
  "time.add_date": (values) => {
    const { time, zone } = timeAt(values, 0);
    const [years, months, days] = [integerAt(values, 1), integerAt(values, 2), integerAt(values, 3)];
    if (Math.abs(years) > 1_000_000 || Math.abs(months) > 1_000_000 || Math.abs(days) > 1_000_000_000) throw range();
    const moved = { ...time, year: time.year + years, month: time.month + months, day: time.day + days };
    return safe(nanosecondsOf(moved, zone));
  },
  "time.diff": (values) => difference(timeAt(values, 0), timeAt(values, 1)),
};

interface Time {
  readonly nanoseconds: bigint;
  readonly time: LocalTime;
  readonly zone: string;
  readonly layout: string;
}

function timeAt(values: readonly Value[], position: number): Time {
  const value = values[position];
  if (!isArray(value)) return timeIn(numberOperand(value, values, position), "UTC", "");
  const [first, zone = "UTC", layout = ""] = value;
  if (typeof zone !== "string" || typeof layout !== "string")
    throw operandError(`operand 1 must be string but got ${typeName(typeof zone === "string" ? layout : zone)}`);
  return timeIn(numberOperand(first, values, position), zone, layout);
}

function numberOperand(value: Value | undefined, values: readonly Value[], position: number): RegoNumber {
  if (value === undefined || typeName(value) !== "number")
    throw typeError(values, position, "either number (ns) or [number (ns), string (tz)]");
  return numberAt([value], 0);
}

function timeIn(value: RegoNumber, name: string, layout: string): Time {
  const nanoseconds = toBigInt(value);
  if (nanoseconds === undefined || BigInt.asIntN(64, nanoseconds) !== nanoseconds)
    throw builtinError("timestamp too big");
  // Intl takes its time.
  spend(name === "UTC" ? 10 : 200);
  const zone = zoneOf(name);
  if (zone === undefined) throw builtinError(`unknown time zone ${name}`);
  return { nanoseconds, time: inZone(nanoseconds, zone), zone, layout };
}

function range() {
  return builtinError("time outside of valid range");
}

function safe(nanoseconds: bigint): Value {
  if (BigInt.asIntN(64, nanoseconds) !== nanoseconds) throw range();
  return fromBigInt(nanoseconds);
}

/** Years, months, days, hours, minutes and seconds between two times, as on a calendar. */
function difference(one: Time, other: Time): Value {
  const moved = { ...other, time: inZone(other.nanoseconds, one.zone) };
  const [from, to] = one.nanoseconds > moved.nanoseconds ? [moved.time, one.time] : [one.time, moved.time];
  const parts = [
    to.year - from.year,
    to.month - from.month,
    to.day - from.day,
    to.hour - from.hour,
    to.minute - from.minute,
    to.second - from.second,
  ];
  const borrow = (index: number, size: number) => {
    if ((parts[index] as number) >= 0) return;
    parts[index] = (parts[index] as number) + size;
    parts[index - 1] = (parts[index - 1] as number) - 1;
  };
  borrow(5, 60);
  borrow(4, 60);
  borrow(3, 24);
  const lastOfMonth = localTime(Date.UTC(from.year, from.month, 0));
  borrow(2, lastOfMonth.day);
  borrow(1, 12);
  return parts;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 24n * 3_600_000_000_000n,
  w: 7n * 24n * 3_600_000_000_000n,
  y: 365n * 24n * 3_600_000_000_000n,
};

/** Go's `time.ParseDuration`, with days, weeks and years of 365 days. */
function parseDuration(text: string): Value {
  const [, sign, rest = ""] = /^([+-]?)(.*)$/su.exec(text) ?? [];
  if (rest === "0") return 0;
  let [total, read] = [0n, 0];
  for (const [whole, before = "", after = "", unit = ""] of rest.matchAll(/(\d*)(?:\.(\d*))?([a-zµμ]+)/gy)) {
    const size = UNITS[unit];
    if (size === undefined || before + after === "" || before.length > 19) throw invalid();
    const digits = after.slice(0, 18);
    total += BigInt(before) * size + (BigInt(digits) * size) / 10n ** BigInt(digits.length);
    read += whole.length;
  }
  if (read !== rest.length || read === 0) throw invalid();
  if (BigInt.asIntN(64, total) !== total) throw invalid();
  return fromBigInt(sign === "-" ? -total : total);
}

function invalid() {
  return builtinError("time: invalid duration");
}
