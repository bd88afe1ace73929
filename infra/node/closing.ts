import { causeOf } from "../../lib/logging/cause.ts";
import type { Logger } from "../../lib/logging/logger.ts";

/** Something to be closed when the server stops. */
export interface Closer {
  /** For the log. */
  readonly name: string;
  /** Milliseconds that it may take. */
  readonly within: number;
  close(): Promise<void> | void;
}

/**
 * Closes one after the other. A failure or timeout is logged, and the next one is still closed.
 * @throws Error with the names of what was not closed, after everything else was
 */
export async function closeInOrder(closers: readonly Closer[], logger: Pick<Logger, "info" | "error">): Promise<void> {
  const failed: string[] = [];
  for (const closer of closers) {
    const problem = await problemOf(closer);
    if (problem === undefined) continue;
    failed.push(closer.name);
    logger.error("stopping goes on without what could not be closed", { name: closer.name, cause: problem });
  }
  if (failed.length > 0) throw new Error(`Not closed: ${failed.join(", ")}.`);
}

async function problemOf({ within, close }: Closer): Promise<string | undefined> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve(`not closed within ${within} ms`), within);
  const closing = (async () => close())().then(
    () => undefined,
    (error: unknown) => causeOf(error),
  );
  const problem = await Promise.race([closing, late.promise]);
  clearTimeout(timer);
  return problem;
}
