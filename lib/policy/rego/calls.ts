import { EvaluationError, spend } from "./budget.ts";
import { findBuiltin } from "./builtins/table.ts";
import { type Context, type Locals, NEXT, RETURN, type Step } from "./context.ts";
import { type Part, PlanError } from "./plan.ts";
import type { Value } from "./value.ts";

type Read = (locals: Locals) => Value | undefined;

/** A function of a plan. `run` and `locals` are there when all of them are prepared. */
export interface PlanFunction {
  readonly index: number;
  readonly params: readonly number[];
  run: Step;
  locals: number;
}

export interface Callables {
  readonly functions: ReadonlyMap<string, PlanFunction>;
  /** Functions by path, joined by `PATH`. */
  readonly paths: ReadonlyMap<string, PlanFunction>;
}

export const PATH = "\u0000";
/** Calls that may be open at once. Rego has no recursion; a plan could. */
const DEEPEST = 500;

export function callFunction(
  { at }: Part,
  name: string,
  reads: readonly Read[],
  result: number,
  { functions }: Callables,
): Step {
  const callee = functions.get(name) as PlanFunction;
  if (reads.length !== callee.params.length)
    throw new PlanError(`${at} calls ${name} with ${reads.length} arguments; it takes ${callee.params.length}`);
  return (locals, context) => {
    const value = invoke(
      callee,
      reads.map((read) => read(locals)),
      context,
    );
    locals[result] = value;
    return value === undefined ? 0 : NEXT;
  };
}

/** @param reads local variables of the arguments @param path names in `data` */
export function callDynamic(
  reads: readonly number[],
  path: readonly Read[],
  result: number,
  { paths }: Callables,
): Step {
  return (locals, context) => {
    const callee = paths.get(path.map((read) => String(read(locals))).join(PATH));
    if (callee === undefined) return 0;
    const value = invoke(
      callee,
      reads.map((local) => locals[local]),
      context,
    );
    locals[result] = value;
    // Found, so nothing else is looked for: out of the three blocks that OPA's planner puts around the statement.
    return value === undefined ? 3 : NEXT;
  };
}

function invoke(callee: PlanFunction, values: readonly (Value | undefined)[], context: Context): Value | undefined {
  const key = memoKey(callee, values);
  if (key !== undefined) {
    const known = context.memo.get(key);
    if (known !== undefined || context.memo.has(key)) return known;
  }
  if (context.depth >= DEEPEST) throw new EvaluationError("budget_exceeded", "calls are nested too deeply");
  spend(2);
  const locals: Locals = new Array(callee.locals);
  for (let index = 0; index < values.length; index += 1) locals[callee.params[index] as number] = values[index];
  const { memo } = context;
  context.depth += 1;
  const value = callee.run(locals, context) === RETURN ? context.returned : undefined;
  context.depth -= 1;
  if (key !== undefined) memo.set(key, value);
  return value;
}

/** Rules have no arguments; functions are remembered where their arguments are scalars. Undefined: is not remembered. */
function memoKey({ index }: PlanFunction, values: readonly (Value | undefined)[]): string | number | undefined {
  if (values.length === 2) return index;
  let key = String(index);
  for (let position = 2; position < values.length; position += 1) {
    const value = values[position];
    if (value === undefined || (typeof value === "object" && value !== null)) return undefined;
    if (typeof value === "string" && value.length > 200) return undefined;
    key += typeof value === "string" ? `"${value.length}:${value}` : `,${value}`;
  }
  return key;
}

/** What a throw costs, in steps. */
const ERROR = 200;

export function callBuiltin(
  { at }: Part,
  name: string,
  reads: readonly Read[],
  result: number,
  location: string | undefined,
): Step {
  const found = findBuiltin(name);
  if ("refused" in found) throw new PlanError(`not served: ${name}; ${found.refused} (${at})`);
  const { run } = found;
  return (locals, context) => {
    const values = reads.map((read) => read(locals));
    // An undefined argument makes the call undefined.
    if (values.includes(undefined)) return 0;
    spend(2);
    try {
      const value = run(values as readonly Value[], context);
      locals[result] = value;
      return value === undefined ? 0 : NEXT;
    } catch (error) {
      spend(ERROR);
      raise(error, name, context, location);
      locals[result] = undefined;
      return 0;
    }
  };
}

/** Errors of built-in functions make the call undefined, unless the evaluation is strict. */
function raise(error: unknown, name: string, { strict }: Context, location: string | undefined): void {
  if (!(error instanceof EvaluationError)) throw error;
  const isOfBuiltin = error.code === "eval_type_error" || error.code === "eval_builtin_error";
  if (isOfBuiltin && !strict) return;
  throw isOfBuiltin ? new EvaluationError(error.code, `${name}: ${error.message}`, location) : error;
}
