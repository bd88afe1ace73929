import type { LogFields } from "./logger.ts";

/** What entries are searched and joined by. */
const FIRST: readonly string[] = ["requestId", "sessionId"];

/** The same order in every entry: request and session, then the other fields by name. */
export function orderedFields(fields: LogFields): LogFields {
  const others = Object.keys(fields).filter((name) => !FIRST.includes(name));
  const names = [...FIRST.filter((name) => Object.hasOwn(fields, name)), ...others.sort()];
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}
