import {
  type ASTNode,
  Environment,
  EvaluationError,
  TypeError as ExpressionTypeError,
  ParseError,
} from "@marcbachmann/cel-js";
import { boundedCache } from "../../kernel/bounded-cache.ts";
import { ALLOWED, DENIED, type Decision, failed, type LocalPolicy, type PolicyInput } from "../policy.ts";
import { bounded, COUNTED, MATCHES } from "./bounded.ts";
import { createMeter, type Meter, StepLimitError } from "./meter.ts";
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
const VARIABLES = ["request", "user", "agent", "token"] as const;

/**
 * Compiles a CEL expression, once a configuration.
 *
 * @param name for logs
 * @throws ExpressionError
 */
export function compileCel(text: string, name: string): LocalPolicy {
  try {
    const root = checked(text);
    const decide = createEvaluation(bounded(text, root));
    const reads = { decidesOnListing: !readsArguments(root), readsCallerAlone: readsToolsAlone(root) };
    return { cost: "local", name, ...reads, decide };
  } catch (cause) {
    if (!(cause instanceof ParseError || cause instanceof ExpressionTypeError)) throw cause;
    throw new ExpressionError(cause.summary, cause.range?.start ?? 0);
  }
}

/** The tree of an expression that is true or false, as far as that can be told beforehand. */
function checked(text: string): ASTNode {
  const parsed = environment().parse(text);
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

function environment(limits = LIMITS): Environment {
  const made = new Environment({ limits });
  for (const name of VARIABLES) made.registerVariable(name, "map");
  return made;
}

/** Evaluation never waits, so that one meter at a time is enough. */
function createEvaluation(text: string): (input: PolicyInput) => Decision {
  let meter = createMeter(STEPS);
  const patterns = boundedCache<string, PatternProgram>(32);
  const evaluate = environment(BOUNDED_LIMITS)
    .registerFunction(`${COUNTED}(dyn): dyn`, (value: unknown) => meter.metered(value))
    .registerFunction(`string.${MATCHES}(string): bool`, (subject: string, pattern: string) => {
      const program = patterns.get(pattern) ?? compilePattern(pattern);
      patterns.put(pattern, program);
      meter.spend((subject.length * program.size) / 8);
      return program.matches(subject);
    })
    .parse(text);
  return (input) => {
    meter = createMeter(STEPS);
    try {
      return decisionOf(evaluate(metered(input, meter)), meter);
    } catch (cause) {
      return failed(meter.isSpent() ? TOO_LONG : codeOf(cause));
    }
  };
}

const TOO_LONG = "too_many_steps";

function metered(input: PolicyInput, meter: Meter): Record<string, unknown> {
  return Object.fromEntries(VARIABLES.map((name) => [name, meter.metered(input[name])]));
}

/** CEL forgives errors in what turns out not to matter; that it took too long always does. */
function decisionOf(value: unknown, meter: Meter): Decision {
  if (meter.isSpent()) return failed(TOO_LONG);
  if (typeof value !== "boolean") return failed("not_a_boolean");
  return value ? ALLOWED : DENIED;
}

/** Never the message, which may hold an argument. */
function codeOf(cause: unknown): string {
  if (cause instanceof EvaluationError || cause instanceof ExpressionTypeError) return cause.code;
  if (cause instanceof StepLimitError) return TOO_LONG;
  if (cause instanceof PatternError) return "invalid_regular_expression";
  return "evaluation_failed";
}
