import type { Context } from "hono";
import { ProblemError } from "../../lib/kernel/problem.ts";
import type { Env } from "../env.ts";

/**
 * One query parameter; undefined when absent.
 * @throws ProblemError `invalid_field` when repeated, empty, longer than `max` characters or with control characters
 */
export function textQuery(c: Context<Env>, name: string, max = 512): string | undefined {
  const values = c.req.queries(name);
  const [value] = values ?? [];
  if (values === undefined || value === undefined) return undefined;
  if (values.length > 1) throw invalidQuery(name, "must be given once");
  if (value === "" || value.length > max || /\p{Cc}/u.test(value)) {
    throw invalidQuery(name, `must be a text of 1 to ${max} characters`);
  }
  return value;
}

/**
 * One of some texts; undefined when absent.
 * @throws ProblemError `invalid_field`
 */
export function choiceQuery<const Choice extends string>(
  c: Context<Env>,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = textQuery(c, name);
  const choice = choices.find((known) => known === text);
  if (choice === undefined && text !== undefined) throw invalidQuery(name, `must be one of ${choices.join(", ")}`);
  return choice;
}

/** `true` or `false`; absent is false. */
export function booleanQuery(c: Context<Env>, name: string): boolean {
  const text = textQuery(c, name);
  if (text !== undefined && text !== "true" && text !== "false") throw invalidQuery(name, "must be true or false");
  return text === "true";
}

/** A time from 1970 to 9999 in ISO 8601 with its zone, or a date for its start in UTC; in milliseconds since the epoch. */
export function timeQuery(c: Context<Env>, name: string): number | undefined {
  const text = textQuery(c, name);
  if (text === undefined) return undefined;
  const time = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  if (!(time >= 0 && time < END_OF_TIME)) throw invalidQuery(name, "must be a time such as 2026-01-31T12:00:00Z");
  return time;
}

/**
 * Refuses query parameters that the endpoint does not have: a misspelt filter would show everything.
 * @throws ProblemError `invalid_field`
 */
export function refuseUnknownQuery(c: Context<Env>, known: readonly string[]): void {
  const unknown = Object.keys(c.req.queries()).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const accepted = known.length === 0 ? "none is accepted" : `accepted are ${known.join(", ")}`;
  throw invalidQuery(unknown.slice(0, 64), `is not a parameter here; ${accepted}`);
}

/** Query parameters are named like fields: their pointer is `/<name>`. */
export function invalidQuery(name: string, detail: string): ProblemError {
  return new ProblemError("invalid_field", `The query parameter ${name} is not acceptable.`, {
    fields: [{ pointer: `/${name}`, detail }],
  });
}

/** The year 10000: from there on ISO 8601 writes years with a sign. */
const END_OF_TIME = 253_402_300_800_000;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;
