import { boundedCache } from "../../kernel/bounded-cache.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { EvaluationError, withBudget } from "./budget.ts";
import { PATH, type PlanFunction } from "./calls.ts";
import { type Context, NEXT, type Step } from "./context.ts";
import { type FunctionPart, PlanError, readPlan } from "./plan.ts";
import { checkName, PendingSignature, verifies } from "./signatures.ts";
import { prepareBlocks, type Scope } from "./statements.ts";
import { fromJson, isArray, RegoObject, RegoSet, type Value } from "./value.ts";

/** A plan that is ready to be evaluated, again and again. */
export interface PreparedPlan {
  /** As `opa build -e` was given them, for example `orchestrator/result`. */
  readonly entrypoints: readonly string[];
  /** Names of the built-in functions that it calls. */
  readonly builtins: readonly string[];
  /** @internal */
  readonly plans: ReadonlyMap<string, { readonly run: Step; readonly locals: number }>;
  /** @internal */
  readonly remembered: Context["remembered"];
}

export interface EvaluationOptions {
  readonly entrypoint: string;
  /** Steps: one is about a statement, an entry of a collection, or 32 characters that are read or made. */
  readonly budget?: number;
  /** Milliseconds since 1970, for `time.now_ns`. */
  readonly now?: number;
  readonly print?: (message: string) => void;
  /** Errors of built-in functions end the evaluation. As in OPA they do not unless asked for: what calls is undefined. */
  readonly strict?: boolean;
}

/** `results` are what `ResultSetAddStmt` added; none where the query is undefined. */
export type Evaluation = { readonly results: readonly Value[] } | { readonly error: EvaluationError };

/** Patterns that are kept prepared for a plan; a policy may make them of its input. */
const PATTERNS = 50;

/** About 50 ms of CPU at the worst, and some 30 MB of memory. */
export const DEFAULT_BUDGET = 150_000;

/**
 * Validates a plan and makes functions of its statements.
 *
 * @param json what `opa build -t plan` writes as `plan.json`, parsed
 * @throws PlanError that names what is wrong or not served, and where
 */
export function preparePlan(json: unknown): PreparedPlan {
  const parts = readPlan(json);
  const functions = new Map<string, PlanFunction>();
  const paths = new Map<string, PlanFunction>();
  for (const [index, part] of parts.functions.entries()) {
    const made: PlanFunction = { index, params: part.params, run: () => NEXT, locals: 0 };
    if (functions.has(part.name)) throw new PlanError(`${part.at} is a second function of the name ${part.name}`);
    functions.set(part.name, made);
    if (part.path !== undefined) paths.set(part.path.join(PATH), made);
  }
  const scope = { strings: parts.strings, files: parts.files, functions, paths };
  for (const part of parts.functions) fill(functions.get(part.name) as PlanFunction, part, scope);
  const plans = new Map<string, { readonly run: Step; readonly locals: number }>();
  for (const { name, blocks } of parts.plans) {
    const own: Scope = { ...scope, locals: 2, documents: new Set([1]) };
    const run = prepareBlocks(blocks, own);
    plans.set(name, { run, locals: own.locals });
  }
  if (plans.size === 0) throw new PlanError("the plan has no entrypoint: name one as opa build -e package/rule");
  return { entrypoints: [...plans.keys()], builtins: parts.builtins, plans, remembered: boundedCache(PATTERNS) };
}

/**
 * Makes a value of Rego of a document once, for all evaluations to come.
 *
 * @param json a JSON object
 * @throws EvaluationError where it is nested too deeply
 */
export function prepareData(json: JsonObject): Value {
  const data = fromJson(json);
  readAll(data);
  return data;
}

/** Objects are read when they are first asked about. */
function readAll(value: Value): void {
  if (isArray(value)) for (const entry of value) readAll(entry);
  else if (value instanceof RegoObject) for (const [, member] of value.entries()) readAll(member);
}

function fill(made: PlanFunction, part: FunctionPart, scope: Omit<Scope, "locals" | "documents">): void {
  const locals = Math.max(part.result, ...part.params) + 1;
  const own: Scope = { ...scope, locals, documents: new Set([part.params[1] as number]) };
  made.run = prepareBlocks(part.blocks, own);
  made.locals = own.locals;
}

/**
 * Evaluates an entrypoint. Never throws for what a policy, an input or data does. A signature that only `evaluateAsync` can check is an error.
 *
 * @param input a JSON value; undefined: there is none
 * @param data a JSON object, or what `prepareData` made of it
 */
export function evaluate(
  prepared: PreparedPlan,
  input: unknown,
  data: unknown,
  options: EvaluationOptions,
): Evaluation {
  const outcome = run(prepared, input, data, options, new Map());
  if (!(outcome instanceof PendingSignature)) return outcome;
  return { error: new EvaluationError("eval_internal_error", outcome.message) };
}

/** Signatures that one evaluation may have checked: some 2 ms each at the worst. */
const MOST_CHECKS = 20;
const TOO_MANY = `checks more than ${MOST_CHECKS} signatures`;

/**
 * The same for plans that check signatures. WebCrypto takes its time, so the evaluation begins anew after each check, with what is left of
 * its budget: it comes to the same place, as it depends on nothing else. Never rejects for what a policy, an input or data does.
 */
export async function evaluateAsync(
  prepared: PreparedPlan,
  input: unknown,
  data: unknown,
  options: EvaluationOptions,
): Promise<Evaluation> {
  const signatures = new Map<string, boolean>();
  const now = options.now ?? Date.now();
  let budget = options.budget ?? DEFAULT_BUDGET;
  for (;;) {
    const printed: string[] = [];
    const begun = { ...options, now, budget, print: (message: string) => void printed.push(message) };
    const outcome = run(prepared, input, data, begun, signatures);
    const isPending = outcome instanceof PendingSignature;
    if (!isPending || signatures.size === MOST_CHECKS) {
      if (options.print !== undefined) printed.forEach(options.print);
      return isPending ? { error: new EvaluationError("budget_exceeded", TOO_MANY) } : outcome;
    }
    signatures.set(checkName(outcome.check), await verifies(outcome.check));
    budget = outcome.left;
  }
}

function run(
  prepared: PreparedPlan,
  input: unknown,
  data: unknown,
  options: EvaluationOptions,
  signatures: Context["signatures"],
): Evaluation | PendingSignature {
  const plan = prepared.plans.get(options.entrypoint);
  if (plan === undefined) {
    const message = `the plan has no entrypoint ${JSON.stringify(options.entrypoint)}`;
    return { error: new EvaluationError("eval_internal_error", message) };
  }
  try {
    return withBudget(options.budget ?? DEFAULT_BUDGET, () => {
      const context: Context = {
        results: new RegoSet(),
        returned: undefined,
        memo: new Map(),
        depth: 0,
        now: BigInt(options.now ?? Date.now()) * 1_000_000n,
        print: options.print ?? (() => undefined),
        strict: options.strict ?? false,
        signatures,
        remembered: prepared.remembered,
      };
      const locals = new Array<Value | undefined>(plan.locals);
      locals[0] = input === undefined ? undefined : fromJson(input);
      locals[1] = fromJson(data);
      plan.run(locals, context);
      return { results: context.results.values() };
    });
  } catch (error) {
    if (error instanceof PendingSignature) return error;
    if (error instanceof EvaluationError) return { error };
    // Too deep a value, for example: no stack is left to compare it.
    if (error instanceof RangeError) return { error: new EvaluationError("budget_exceeded", error.message) };
    throw error;
  }
}
