import { invalidArgumentsText } from "../../openapi/problem-sentences.ts";
import type { ResultProblem } from "../../tool-rules/result-rules.ts";
import type { RuleProblem } from "../../tool-rules/shown-schema.ts";
import type { RuledTool } from "../tool-rules.ts";
import { UNKNOWN_TOOL } from "./locate.ts";
import type { Finding, ListCandidate, Refusal, Step } from "./step.ts";

/**
 * The rules of the tool fit its schema. A tool that they do not fit is there for nobody: what they were to keep would be the
 * agent's. It comes before what tells that there is a tool.
 */
export const fitting: Step = {
  name: "rules",
  *judge(asked) {
    const problems = problemsOf(asked);
    yield problems === undefined ? [] : [misfit(problems)];
  },
  async shown(tools, { request }) {
    const { withheld = [], shown = [] } = Object.groupBy(tools, (tool) => (problemsOf(tool) ? "withheld" : "shown"));
    for (const tool of withheld) warn(tool, request.logger);
    return withheld.length === 0 ? tools : shown;
  },
};

/** The arguments are those that the rules leave to agents, and every value that rules put in is there. */
export const rules: Step = {
  name: "rules",
  *judge({ ruled }) {
    yield ruled === undefined ? [] : [findingOf(ruled)];
  },
};

function findingOf(ruled: NonNullable<Parameters<Step["judge"]>[0]["ruled"]>): Finding {
  switch (ruled.outcome) {
    case "applied":
      return { outcome: "allow", why: "the arguments are those that the rules leave" };
    case "problems": {
      const message = invalidArgumentsText(ruled.problems);
      return { outcome: "refuse", code: "invalid_arguments", message, reason: "invalid_arguments", why: message };
    }
    case "missing": {
      const { argument, claim } = ruled;
      return {
        outcome: "refuse",
        code: "denied_by_rule",
        message: `This call needs ${claim}, which the token does not tell as a text.`,
        reason: "missing_claim",
        details: { claim, argument },
        why: `the argument ${argument} is made of ${claim}, which the token does not tell as a text`,
      };
    }
  }
}

function misfit(problems: readonly Problem[]): Refusal {
  const why = `the rules of tools.rules do not fit the tool: ${textOf(problems)}`;
  return { ...UNKNOWN_TOOL, outcome: "refuse", about: "lists", reason: "rules_do_not_fit", why };
}

/** `argument`: of the arguments; `pointer`: of the result. */
type Problem = Pick<RuleProblem, "argument" | "message"> & Pick<ResultProblem, "pointer">;

function textOf(problems: readonly Problem[]): string {
  return problems
    .map(({ argument, pointer, message }) => {
      const place = argument ?? (pointer === undefined ? undefined : `result.remove ${pointer}`);
      return place === undefined ? message : `${place}: ${message}`;
    })
    .join("; ");
}

function problemsOf({ rules: rulesOf, results }: RuledTool): readonly Problem[] | undefined {
  const withheld = [rulesOf?.(), results?.()].flatMap((made): readonly Problem[] =>
    made !== undefined && "withheld" in made ? made.withheld : [],
  );
  return withheld.length === 0 ? undefined : withheld;
}

/** By app: which tools were told. Lists are asked for again and again. */
const told = new WeakMap<ListCandidate["app"], Set<string>>();

function warn(candidate: ListCandidate, logger: Parameters<NonNullable<Step["shown"]>>[1]["request"]["logger"]): void {
  const { app, tool } = candidate;
  const problem = textOf(problemsOf(candidate) ?? []);
  const known = told.get(app) ?? new Set();
  told.set(app, known);
  const key = JSON.stringify([tool.localName, problem]);
  if (known.has(key)) return;
  known.add(key);
  logger.warn("rules do not fit a tool, which is withheld", { app: app.name, tool: tool.localName, problem });
}
