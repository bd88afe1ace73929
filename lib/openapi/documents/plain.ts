import { isJsonObject } from "../../kernel/json.ts";

/** An own member of an object, or undefined: names such as `constructor` never reach a prototype. */
export function member(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** At most `limit` characters, cut visibly. */
export function bounded(value: string, limit: number): string {
  return value.length <= limit ? value : `${value.slice(0, limit - 1).trimEnd()}…`;
}
