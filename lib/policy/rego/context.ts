import type { BoundedCache } from "../../kernel/bounded-cache.ts";
import type { RegoSet, Value } from "./value.ts";

/** Local variables of one call, by number. Undefined ones have no value. */
export type Locals = (Value | undefined)[];

/** What one evaluation knows besides local variables. */
export interface Context extends Surroundings {
  readonly results: RegoSet;
  /** What the last `ReturnLocalStmt` returned. */
  returned: Value | undefined;
  /** Results of functions, by function and arguments; `with` begins anew. */
  memo: Map<string | number, Value | undefined>;
  /** Calls that are open. */
  depth: number;
}

/** What built-in functions see of an evaluation. */
export interface Surroundings {
  /** Nanoseconds since 1970; the same for the whole evaluation. */
  readonly now: bigint;
  /** Is given what `print` and `trace` say. */
  readonly print: (message: string) => void;
  /** An error of a built-in function ends the evaluation; else what calls it is undefined. */
  readonly strict: boolean;
  /** Whether a signature is good, by the name of its check; those that are not there were not checked yet. */
  readonly signatures: ReadonlyMap<string, boolean>;
  /** Prepared patterns by what they came from; they stay from one evaluation of a plan to the next. */
  readonly remembered: Pick<BoundedCache<string, unknown>, "get" | "put">;
}

/**
 * What comes after a statement: `NEXT` is the one that follows, 0 the end of the block it is in (the statement is undefined),
 * 1 the end of the block around that, and so on; `RETURN` is the end of the function, with `context.returned`.
 */
export type Step = (locals: Locals, context: Context) => number;

export const NEXT = -1;
export const RETURN = 1 << 30;
