import { spendText } from "../budget.ts";
import { builtinError } from "./operands.ts";
import { type LocalTime, localTime, nanosecondsOf } from "./zones.ts";

/** Layouts of Go's `time` package that OPA knows by name. */
export const LAYOUTS: Readonly<Record<string, string>> = {
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
};

const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** Elements of a layout, longer ones first where one begins another (Go, `time.nextStdChunk`). */
const ELEMENT =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|_2006|__2|_2|002|01|02|03|04|05|06|15|PM|pm|Z070000|Z07:00:00|Z0700|Z07:00|Z07|-070000|-07:00:00|-0700|-07:00|-07|[.,](?:0+|9+)(?!\d)|1|2|3|4|5/g;

/** A layout as texts and elements, by turns. */
function elementsOf(layout: string): readonly { readonly text: string; readonly element: boolean }[] {
  spendText(layout.length * 8);
  const found: { text: string; element: boolean }[] = [];
  let end = 0;
  for (const match of layout.matchAll(ELEMENT)) {
    const [element] = match;
    if (match.index > end) found.push({ text: layout.slice(end, match.index), element: false });
    if (element === "_2006") found.push({ text: "_", element: false }, { text: "2006", element: true });
    else found.push({ text: element, element: true });
    end = match.index + element.length;
  }
  if (end < layout.length) found.push({ text: layout.slice(end), element: false });
  return found;
}

export function formatTime(time: LocalTime, layout: string): string {
  return elementsOf(layout)
    .map(({ text, element }) => (element ? write(text, time) : text))
    .join("");
}

function write(element: string, time: LocalTime): string {
  const date = new Date(0);
  date.setUTCFullYear(time.year, time.month - 1, time.day);
  const weekday = DAYS[date.getUTCDay()] ?? "";
  const month = MONTHS[time.month - 1] ?? "";
  const hour12 = String(time.hour % 12 === 0 ? 12 : time.hour % 12);
  switch (element) {
    case "January":
      return month;
    case "Jan":
      return month.slice(0, 3);
    case "Monday":
      return weekday;
    case "Mon":
      return weekday.slice(0, 3);
    case "MST":
      return time.zoneName;
    case "2006":
      return String(time.year).padStart(4, "0");
    case "06":
      return two(((time.year % 100) + 100) % 100);
    case "01":
      return two(time.month);
    case "1":
      return String(time.month);
    case "02":
      return two(time.day);
    case "_2":
      return String(time.day).padStart(2, " ");
    case "2":
      return String(time.day);
    case "002":
      return String(dayOfYear(time)).padStart(3, "0");
    case "__2":
      return String(dayOfYear(time)).padStart(3, " ");
    case "15":
      return two(time.hour);
    case "03":
      return hour12.padStart(2, "0");
    case "3":
      return hour12;
    case "04":
      return two(time.minute);
    case "4":
      return String(time.minute);
    case "05":
      return two(time.second);
    case "5":
      return String(time.second);
    case "PM":
      return time.hour >= 12 ? "PM" : "AM";
    case "pm":
      return time.hour >= 12 ? "pm" : "am";
    default:
      return /^[.,]/.test(element) ? fraction(element, time.nanosecond) : offset(element, time.offset);
  }
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function dayOfYear({ year, month, day }: LocalTime): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const start = new Date(0);
  start.setUTCFullYear(year, 0, 0);
  return Math.round((date.getTime() - start.getTime()) / 86_400_000);
}

/** Nines leave zeros at the end out. */
function fraction(element: string, nanosecond: number): string {
  const digits = String(nanosecond)
    .padStart(9, "0")
    .slice(0, element.length - 1);
  if (element[1] === "0") return `${element[0]}${digits.padEnd(element.length - 1, "0")}`;
  const shortened = digits.replace(/0+$/, "");
  return shortened === "" ? "" : `${element[0]}${shortened}`;
}

function offset(element: string, seconds: number): string {
  if (element.startsWith("Z") && seconds === 0) return "Z";
  const separator = element.includes(":") ? ":" : "";
  const size = Math.abs(seconds);
  const parts = [two(Math.floor(size / 3_600))];
  const length = element.replaceAll(":", "").length;
  if (length > 3) parts.push(two(Math.floor((size % 3_600) / 60)));
  if (length > 5) parts.push(two(size % 60));
  return `${seconds < 0 ? "-" : "+"}${parts.join(separator)}`;
}

type Found = { -readonly [Member in keyof LocalTime]?: LocalTime[Member] } & { pm?: boolean; dayOfYear?: number };

/** Nanoseconds since 1970. @throws EvaluationError where the text does not fit the layout */
export function parseTime(layout: string, text: string): bigint {
  spendText(text.length);
  const found: Found = {};
  let rest = text;
  const elements = elementsOf(layout);
  for (const [index, { text: part, element }] of elements.entries()) {
    if (!element) rest = afterText(rest, part);
    else rest = read(part, rest, found, elements[index + 1]);
  }
  if (rest !== "") throw mismatch("extra text");
  return timeOf(found);
}

/** A space of the layout stands for any number of them. */
function afterText(rest: string, part: string): string {
  let left = rest;
  for (const character of part) {
    if (character === " ") {
      if (left !== "" && !left.startsWith(" ")) throw mismatch("a space is missing");
      left = left.replace(/^ +/, "");
    } else if (left.startsWith(character)) left = left.slice(character.length);
    else throw mismatch("a text is missing");
  }
  return left;
}

function read(element: string, rest: string, found: Found, next: { readonly text: string } | undefined): string {
  const take = (pattern: RegExp, use: (text: string) => void, within?: readonly [number, number]): string => {
    const [text] = pattern.exec(rest) ?? [];
    if (text === undefined) throw mismatch(element);
    if (within !== undefined && (Number(text) < within[0] || Number(text) > within[1])) throw mismatch("out of range");
    use(text);
    return rest.slice(text.length);
  };
  const name = (names: readonly string[], length: number | undefined, use: (index: number) => void): string => {
    const index = names.findIndex((entry) => rest.toLowerCase().startsWith(entry.slice(0, length).toLowerCase()));
    if (index === -1) throw mismatch(element);
    use(index);
    return rest.slice((names[index] as string).slice(0, length).length);
  };
  switch (element) {
    case "January":
      return name(MONTHS, undefined, (index) => (found.month = index + 1));
    case "Jan":
      return name(MONTHS, 3, (index) => (found.month = index + 1));
    case "Monday":
      return name(DAYS, undefined, () => undefined);
    case "Mon":
      return name(DAYS, 3, () => undefined);
    case "2006":
      return take(/^\d{4}/, (text) => (found.year = Number(text)));
    case "06":
      return take(/^\d\d/, (text) => (found.year = Number(text) + (Number(text) >= 69 ? 1900 : 2000)));
    case "01":
      return take(/^\d\d/, (text) => (found.month = Number(text)), [1, 12]);
    case "1":
      return take(/^\d\d?/, (text) => (found.month = Number(text)), [1, 12]);
    case "02":
      return take(/^\d\d/, (text) => (found.day = Number(text)));
    case "_2":
      return take(/^ ?\d\d?/, (text) => (found.day = Number(text)));
    case "2":
      return take(/^\d\d?/, (text) => (found.day = Number(text)));
    case "002":
      return take(/^\d{3}/, (text) => (found.dayOfYear = Number(text)));
    case "__2":
      return take(/^ {0,2}\d{1,3}/, (text) => (found.dayOfYear = Number(text)));
    case "15":
      return take(/^\d\d?/, (text) => (found.hour = Number(text)), [0, 23]);
    case "03":
      return take(/^\d\d/, (text) => (found.hour = Number(text)), [0, 12]);
    case "3":
      return take(/^\d\d?/, (text) => (found.hour = Number(text)), [0, 12]);
    case "04":
      return take(/^\d\d/, (text) => (found.minute = Number(text)), [0, 59]);
    case "4":
      return take(/^\d\d?/, (text) => (found.minute = Number(text)), [0, 59]);
    case "05":
    case "5": {
      const left = take(element === "05" ? /^\d\d/ : /^\d\d?/, (text) => (found.second = Number(text)), [0, 59]);
      // A fraction is read though the layout has none.
      const [part] = /^[.,]\d+/.exec(left) ?? [];
      if (part === undefined || (next !== undefined && /^[.,]/.test(next.text))) return left;
      found.nanosecond = nanoseconds(part);
      return left.slice(part.length);
    }
    case "PM":
    case "pm":
      return take(element === "PM" ? /^[AP]M/ : /^[ap]m/, (text) => (found.pm = /^p/i.test(text)));
    case "MST":
      return take(/^(?:UTC|GMT[+-]\d{1,2}|[A-Z]{3,5}|[+-]\d\d)/, (text) => {
        found.offset = /^GMT[+-]/.test(text) ? Number(text.slice(3)) * 3_600 : 0;
      });
    default:
      return /^[.,]/.test(element) ? readFraction(element, rest, found) : readOffset(element, rest, found, take);
  }
}

function readFraction(element: string, rest: string, found: Found): string {
  const exact = element[1] === "0";
  const [part] = (exact ? new RegExp(`^[.,]\\d{${element.length - 1}}`) : /^[.,]\d+/).exec(rest) ?? [];
  if (part === undefined) {
    if (exact) throw mismatch(element);
    return rest;
  }
  found.nanosecond = nanoseconds(part);
  return rest.slice(part.length);
}

function nanoseconds(part: string): number {
  return Number(part.slice(1, 10).padEnd(9, "0"));
}

function readOffset(
  element: string,
  rest: string,
  found: Found,
  take: (pattern: RegExp, use: (text: string) => void) => string,
): string {
  if (element.startsWith("Z") && rest.startsWith("Z")) {
    found.offset = 0;
    return rest.slice(1);
  }
  const shape = element.slice(1).replace(/07|00/g, "\\d\\d");
  return take(new RegExp(`^[+-]${shape}`), (text) => {
    const digits = text.slice(1).replaceAll(":", "");
    const [hours, minutes, seconds] = [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4, 6)].map(Number);
    if ((hours ?? 0) > 24 || (minutes ?? 0) > 60 || (seconds ?? 0) > 60) throw mismatch("out of range");
    const size = (hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0);
    found.offset = text.startsWith("-") ? -size : size;
  });
}

function timeOf({ pm, dayOfYear: nth, ...found }: Found): bigint {
  const hour = found.hour ?? 0;
  const full = pm === undefined ? hour : pm ? (hour < 12 ? hour + 12 : hour) : hour === 12 ? 0 : hour;
  const given: LocalTime = { ...localTime(0), year: 0, month: 1, day: 1, hour: 0, ...found };
  const time = nth === undefined ? { ...given, hour: full } : { ...given, hour: full, month: 1, day: nth };
  const days = new Date(0);
  days.setUTCFullYear(time.year, time.month, 0);
  if (nth === undefined && (time.day < 1 || time.day > days.getUTCDate())) throw mismatch("day out of range");
  return nanosecondsOf(time, undefined);
}

function mismatch(what: string) {
  return builtinError(`the time does not fit the layout: ${what}`);
}
