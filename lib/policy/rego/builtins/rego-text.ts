import { spend, spendText } from "../budget.ts";
import { isNumber, numberText } from "../number.ts";
import { isArray, RegoSet, type Value } from "../value.ts";

/** A value as Rego writes it: `{"a": [1, 2]}`, `{1, 2}`, `set()`. */
export function regoText(value: Value): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return quoted(value);
  if (isNumber(value)) return numberText(value);
  spend(1);
  if (isArray(value)) return `[${value.map(regoText).join(", ")}]`;
  if (value instanceof RegoSet) return value.size === 0 ? "set()" : `{${value.values().map(regoText).join(", ")}}`;
  const members = value.entries().map(([key, member]) => `${regoText(key)}: ${regoText(member)}`);
  return `{${members.join(", ")}}`;
}

/** As Go's `strconv.Quote`. */
export function quoted(text: string): string {
  spendText(text.length);
  return JSON.stringify(text).replace(/\\u00([0-9a-f]{2})|\u007f/g, (whole, code: string | undefined) => {
    if (code === undefined) return "\\x7f";
    return code === "07" ? "\\a" : code === "0b" ? "\\v" : whole.startsWith("\\u00") ? `\\x${code}` : whole;
  });
}
