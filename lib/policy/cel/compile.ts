import {
  type ASTNode,
  Environment,
  EvaluationError,
  TypeError as ExpressionTypeError,
  Optional,
  ParseError,
} from "@marcbachmann/cel-js";
import { boundedCache } from "../../kernel/bounded-cache.ts";
import { ALLOWED, DENIED, type Decision, failed, type LocalPolicy, type PolicyInput } from "../policy.ts";
import { bounded, COUNTED, MATCHES } from "./bounded.ts";
import { createMeter, StepLimitError } from "./meter.ts";
import { compilePattern, type PatternProgram } from "./pattern-program.ts";
import { PatternError } from "./pattern-syntax.ts";
import { readsArguments, readsToolsAlone } from "./reads-arguments.ts";
import { ExpressionError, methodCall, nodesOf } from "./syntax.ts";

/** Members of its input that one evaluation may read; the longest message of an agent has fewer characters a step. */
const STEPS = 100_000;
/** Of an expression. */
const LIMITS = { maxAstNodes: 10_000, maxDepth: 100 };
/** Of what is made of it. */
const BOUNDED_LIMITS = { maxAstNodes: 40_000, maxDepth: 400 };
const VARIABLES = ["request", "user", "agent", "token"];
const APPROVER = ["approver"];

/**
 * Compiles a CEL expression, once a configuration.
 *
 * @param name for logs
 * @throws ExpressionError
 */
export function compileCel(text: string, name: string): LocalPolicy {
  return telling(() => {
    const root = checked(text, VARIABLES);
    const evaluate = createEvaluation(bounded(text, root), VARIABLES);
    const decide = (input: PolicyInput) => decisionOf(evaluate({ ...input }));
    const reads = { decidesOnListing: !readsArguments(root), readsCallerAlone: readsToolsAlone(root) };
    return { cost: "local", name, ...reads, decide };
  });
}

/**
 * Names of the functions and macros that an expression calls.
 *
 * @throws ExpressionError
 */
export function calledFunctions(text: string): readonly string[] {
  const { ast } = telling(() => environment(VARIABLES).parse(text));
  return [...nodesOf(ast)].flatMap((node) => callOf(node) ?? []);
}

function callOf(node: ASTNode): string | undefined {
  return node.op === "call" ? node.args[0] : methodCall(node)?.name;
}

/** Who wants to decide on a call that waits for an approval, as the directory knows them. */
export interface ApproverInput {
  /** `user_…`. */
  readonly id: string;
  readonly role: string;
  readonly organizationId: string;
  /** How they signed in to the Console. */
  readonly method: string;
  /** At connectors. */
  readonly accounts: readonly { readonly issuer: string; readonly subject: string }[];
}

/**
 * Compiles a CEL expression over `approver`.
 *
 * @throws ExpressionError
 */
export function compileApprover(text: string): (approver: ApproverInput) => Decision {
  return telling(() => {
    const evaluate = createEvaluation(bounded(text, checked(text, APPROVER)), APPROVER);
    return (approver) => decisionOf(evaluate({ approver }));
  });
}

/** A value as JSON has them; undefined: an optional selection found nothing. */
export type ValueExpression = (
  input: Readonly<Record<string, unknown>>,
) => { readonly value: unknown } | { readonly failure: string };

/**
 * Compiles a CEL expression of any value, with optional selection (`token.?client_id`).
 *
 * @throws ExpressionError
 */
export function compileValue(text: string, variables: readonly string[]): ValueExpression {
  return telling(() => {
    const { ast } = environment(variables, LIMITS, true).parse(text);
    for (const node of nodesOf(ast)) checkPattern(node);
    const evaluate = createEvaluation(bounded(text, ast), variables, { isOptional: true, steps: STEPS_OF_VALUE });
    return (input) => {
      const found = evaluate(input);
      return "failure" in found ? found : jsonValue(found.value);
    };
  });
}

/** Reading a result spends nothing any more. Integers of CEL have 64 bits. */
function jsonValue(value: unknown): ReturnType<ValueExpression> {
  const plain = value instanceof Optional ? value.orValue(undefined) : value;
  if (plain === undefined) return { value: undefined };
  try {
    const text = JSON.stringify(plain, (_, member: unknown) => {
      if (typeof member !== "bigint") return member;
      if (!Number.isSafeInteger(Number(member))) throw new RangeError("an integer that no double holds");
      return Number(member);
    });
    return text === undefined || text.length > LONGEST_VALUE ? { failure: "not_a_value" } : { value: JSON.parse(text) };
  } catch (cause) {
    return { failure: cause instanceof StepLimitError ? TOO_LONG : "not_a_value" };
  }
}

/** One of several of a request. */
const STEPS_OF_VALUE = 5_000;
/** Characters of a value's JSON text. */
const LONGEST_VALUE = 10_000;

function telling<T>(compile: () => T): T {
  try {
    return compile();
  } catch (cause) {
    if (!(cause instanceof ParseError || cause instanceof ExpressionTypeError)) throw cause;
    throw new ExpressionError(cause.summary, cause.range?.start ?? 0);
  }
}

/** The tree of an expression that is true or false, as far as that can be told beforehand. */
function checked(text: string, variables: readonly string[]): ASTNode {
  const parsed = environment(variables).parse(text);
  const { error, type } = parsed.check();
  if (error !== undefined) throw error;
  if (type !== "bool" && type !== "dyn") {
    throw new ExpressionError(`the expression is of the type ${type}; accepted: bool`, 0);
  }
  for (const node of nodesOf(parsed.ast)) checkPattern(node);
  return parsed.ast;
}

function checkPattern(node: ASTNode): void {
  const call = methodCall(node);
  const [pattern] = call?.name === "matches" ? call.given : [];
  if (pattern?.op !== "value" || typeof pattern.args !== "string") return;
  try {
    compilePattern(pattern.args);
  } catch (cause) {
    if (cause instanceof PatternError) {
      throw new ExpressionError(`the regular expression ${cause.message}`, pattern.range.start);
    }
    throw cause;
  }
}

function environment(variables: readonly string[], limits = LIMITS, enableOptionalTypes = false): Environment {
  const made = new Environment({ limits, enableOptionalTypes });
  for (const name of variables) made.registerVariable(name, "map");
  return made;
}

/** Evaluation never waits, so that one meter at a time is enough. */
function createEvaluation(
  text: string,
  variables: readonly string[],
  { isOptional = false, steps = STEPS } = {},
): ValueExpression {
  let meter = createMeter(steps);
  const patterns = boundedCache<string, PatternProgram>(32);
  const evaluate = environment(variables, BOUNDED_LIMITS, isOptional)
    .registerFunction(`${COUNTED}(dyn): dyn`, (value: unknown) => meter.metered(value))
    .registerFunction(`string.${MATCHES}(string): bool`, (subject: string, pattern: string) => {
      const program = patterns.get(pattern) ?? compilePattern(pattern);
      patterns.put(pattern, program);
      meter.spend((subject.length * program.size) / 8);
      return program.matches(subject);
    })
    .parse(text);
  return (input) => {
    meter = createMeter(steps);
    try {
      const given = variables.map((name) => [name, meter.metered(input[name])]);
      const value: unknown = evaluate(Object.fromEntries(given));
      // CEL forgives errors in what turns out not to matter; that it took too long always does.
      return meter.isSpent() ? { failure: TOO_LONG } : { value };
    } catch (cause) {
      return { failure: meter.isSpent() ? TOO_LONG : codeOf(cause) };
    }
  };
}

const TOO_LONG = "too_many_steps";

function decisionOf(found: ReturnType<ValueExpression>): Decision {
  if ("failure" in found) return failed(found.failure);
  if (typeof found.value !== "boolean") return failed("not_a_boolean");
  return found.value ? ALLOWED : DENIED;
}

/** Never the message, which may hold an argument. */
function codeOf(cause: unknown): string {
  if (cause instanceof EvaluationError || cause instanceof ExpressionTypeError) return cause.code;
  if (cause instanceof StepLimitError) return TOO_LONG;
  if (cause instanceof PatternError) return "invalid_regular_expression";
  return "evaluation_failed";
}
