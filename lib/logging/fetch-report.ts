import type { FetchReport } from "../kernel/refreshing-cache.ts";
import type { LogFields, Logger } from "./logger.ts";

/**
 * One entry when a row of failures begins and one when it ends; those in between are for debugging. A failure that leaves
 * a former value in use is a warning.
 *
 * @param what the subject of the entries, for example `connector`
 */
export function reportTo(logger: Logger, what: string, fields: LogFields): FetchReport {
  return {
    failed: (cause, { failures, value }) => {
      const facts = { ...fields, reason: reasonOf(cause) };
      if (failures > 1) logger.debug(`${what}: another attempt failed`, { ...facts, failures });
      else if (value === undefined) logger.error(`${what} not available`, facts);
      else logger.warn(`${what} not refreshed; what was read before stays in use`, facts);
    },
    succeeded: (failures) => {
      if (failures === 0) logger.debug(`${what} available`, fields);
      else logger.info(`${what} available again`, { ...fields, failures });
    },
  };
}

/** Longest text of a reason, in characters: a part of it may be what a stranger sent. */
const REASON_LIMIT = 500;
/** `fetch` hides why a connection failed in the cause of its error. */
const CAUSES = 3;

export function reasonOf(error: unknown): string {
  const texts: string[] = [];
  for (let cause = error; cause !== undefined && texts.length < CAUSES; cause = causeIn(cause))
    texts.push(textOf(cause));
  return texts.join(": ").slice(0, REASON_LIMIT);
}

function causeIn(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

/** A connection that failed at several addresses has a code and no message. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** An address for the log: a query or credentials in it may be secrets. */
export function loggableUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
