/** Why an evaluation has no result. `location` is of the Rego source, `policy.rego:3`, where the plan knows it. */
export class EvaluationError extends Error {
  readonly code: ErrorCode;
  readonly location: string | undefined;

  constructor(code: ErrorCode, message: string, location?: string) {
    super(message);
    this.name = "EvaluationError";
    this.code = code;
    this.location = location;
  }
}

/** As OPA names them (topdown/errors.go), but for `budget_exceeded`. */
export type ErrorCode =
  | "eval_conflict_error"
  | "eval_type_error"
  | "eval_builtin_error"
  | "eval_internal_error"
  | "budget_exceeded";

/** Steps that the evaluation at work may still take, outside of any as many as it needs: evaluations are synchronous, so there is one at a time. */
let left = Number.POSITIVE_INFINITY;

/** What is built of values counts as steps too, so that steps bound memory. @throws EvaluationError `budget_exceeded` */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw exceeded();
}

/** Characters that built-in functions run through in a step. */
const CHARACTERS_A_STEP = 32;

/** For a text that is read or made. @throws EvaluationError `budget_exceeded` */
export function spendText(characters: number): void {
  spend(1 + characters / CHARACTERS_A_STEP);
}

/** What is left of the budget of the evaluation at work. */
export function stepsLeft(): number {
  return left;
}

/** Runs with a budget of its own. */
export function withBudget<T>(steps: number, run: () => T): T {
  const outer = left;
  left = steps;
  try {
    return run();
  } finally {
    left = outer;
  }
}

function exceeded(): EvaluationError {
  return new EvaluationError("budget_exceeded", "the evaluation takes too many steps");
}
