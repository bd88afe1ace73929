import type { LineFormat, LogEntry } from "./entry.ts";

/** `time LEVEL message key=value … soid=…` for people. Values and messages never break the line. */
export const textLine: LineFormat = (entry) => `${head(entry)}${pairs(entry.fields)}${pair("soid", entry.soid)}`;

/** The same with `soid` before the fields, as in a JSON line. */
export const orderedTextLine: LineFormat = (entry) => `${head(entry)}${pair("soid", entry.soid)}${pairs(entry.fields)}`;

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
