import type { LineFormat } from "./entry.ts";

/** `time LEVEL message key=value … soid=…` for people. Values and messages never break the line. */
export const textLine: LineFormat = ({ time, level, message, soid, fields }) => {
  const pairs = Object.entries({ ...fields, soid })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${quoted(String(value))}`);
  return [new Date(time).toISOString(), level.toUpperCase().padEnd(5), escaped(message), ...pairs].join(" ");
};

function quoted(value: string): string {
  return /^[\w.:/@+-]+$/.test(value) ? value : escaped(JSON.stringify(value));
}

/** JSON leaves DEL, C1 controls and the Unicode line separators alone; terminals and log readers do not. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
