import type { LogFields } from "./logger.ts";
import type { LogLevel } from "./logger-configuration.ts";

/** One log entry before it becomes a line. */
interface LogEntry {
  /** As the format of times spells it. */
  readonly time: string | number;
  readonly level: LogLevel;
  readonly message: string;
  /** Identifies the instance that wrote it. */
  readonly soid: string;
  /** Without secrets; none is called `time`, `level`, `msg` or `soid`. */
  readonly fields: LogFields;
}

/** Turns an entry into one line, without the line break. */
export type LineFormat = (entry: LogEntry) => string;

/** One JSON object a line: `time`, `level`, `msg` and `soid`, then the fields. */
export const jsonLine: LineFormat = ({ time, level, message, soid, fields }) =>
  escaped(JSON.stringify({ time, level, msg: message, soid, ...fields }));

/** `time LEVEL message key=value … soid=…` for people. Values and messages never break the line. */
export const textLine: LineFormat = (entry) => `${head(entry)}${pairs(entry.fields)}${pair("soid", entry.soid)}`;

/** The same with `soid` before the fields, as in a JSON line. */
export const orderedTextLine: LineFormat = (entry) => `${head(entry)}${pair("soid", entry.soid)}${pairs(entry.fields)}`;

/** The same order in every entry: request and session, then the other fields by name. */
export function orderedFields(fields: LogFields): LogFields {
  const others = Object.keys(fields).filter((name) => !FIRST.includes(name));
  const names = [...FIRST.filter((name) => Object.hasOwn(fields, name)), ...others.sort()];
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

/** What entries are searched and joined by. */
const FIRST: readonly string[] = ["requestId", "sessionId"];

function head({ time, level, message }: LogEntry): string {
  return `${time} ${level.toUpperCase().padEnd(5)} ${escaped(message)}`;
}

function pairs(fields: LogEntry["fields"]): string {
  let text = "";
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) text += pair(name, String(value));
  }
  return text;
}

function pair(name: string, value: string): string {
  return ` ${name}=${/^[\w.:/@+-]+$/.test(value) ? value : escaped(JSON.stringify(value))}`;
}

/** JSON leaves DEL, C1 controls and the Unicode line separators alone; terminals and log readers do not. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
