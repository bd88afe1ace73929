import { isJsonObject } from "../../kernel/json.ts";
import type { Catalog, JsonSchema } from "../../openapi/catalog.ts";
import { createOpenTool } from "../../openapi/open-tool.ts";
import { createSchemaCheck } from "../../openapi/validation.ts";
import type { ArgumentRule } from "../../tool-rules/argument-rule.ts";
import { maskProblem } from "../../tool-rules/mask.ts";
import { type MaskRule, pointerSegments } from "../../tool-rules/result-rule.ts";
import { prepareResults } from "../../tool-rules/result-rules.ts";
import { type RuleProblem, shownSchema } from "../../tool-rules/shown-schema.ts";
import { headerParts } from "../header-template.ts";
import { type Path, valueAt } from "../path.ts";
import { checkExpression } from "../policy-engines.ts";
import { isToolPattern } from "../schema/apps/names.ts";
import { isPattern } from "../schema/apps/tool-rules.ts";
import { firstNaming } from "../tool-names.ts";
import { indexesOf, type Problem, type RuleContext } from "./rule.ts";

const KEYS = ["fix", "hide", "name", "match", "allow"];

/** What a rule says of an argument goes together: a value of ours needs no limits. */
export function toolRulesOf(context: RuleContext, app: Path): void {
  const { at, report } = context;
  for (const index of indexesOf(at(...app, "tools", "rules"))) {
    const entry = [...app, "tools", "rules", index];
    entryRules(context, entry);
    resultRulesOf(context, entry);
    const path = [...entry, "arguments"];
    const rules = at(...path);
    for (const argument of isJsonObject(rules) ? Object.keys(rules) : []) {
      const place = [...path, argument];
      const written = KEYS.filter((key) => at(...place, key) !== undefined);
      const alone = written.find((key) => key === "fix" || key === "hide");
      if (isJsonObject(at(...place)) && written.length === 0)
        report(place, `found none of ${KEYS.join(", ")}; accepted: at least one`);
      if (alone !== undefined && written.length > 1)
        report(place, `found ${written.join(" and ")}; accepted: ${alone} alone`);
    }
  }
}

function resultRulesOf({ at, report }: RuleContext, entry: Path): void {
  const result = at(...entry, "result");
  if (isJsonObject(result) && result.remove === undefined && result.mask === undefined)
    report([...entry, "result"], "found neither remove nor mask; accepted: at least one");
  const masks = masksIn(result);
  for (const [index, mask] of masks.entries()) {
    const problem =
      mask &&
      maskProblem(
        mask,
        masks.flatMap((one) => one ?? []),
      );
    if (problem !== undefined) report([...entry, "result", "mask", index, problem.key], problem.message);
  }
}

/** Undefined: one that the schema tells of. */
function masksIn(result: unknown): readonly (MaskRule | undefined)[] {
  const masks = valueAt(result, ["mask"]);
  return (Array.isArray(masks) ? masks : []).map((mask: unknown) => {
    const [match, instead = "****"] = [valueAt(mask, ["match"]), valueAt(mask, ["with"])];
    return isPattern(match) && typeof instead === "string" ? { match, with: instead } : undefined;
  });
}

function entryRules(context: RuleContext, entry: Path): void {
  const { at, report } = context;
  const approval = [...entry, "approval"];
  const isWritten = isJsonObject(at(...approval));
  if (isJsonObject(at(...entry)) && ["arguments", "result", "approval"].every((key) => at(...entry, key) === undefined))
    report(entry, "found neither arguments nor result nor approval; accepted: at least one");
  if (!isWritten) return;
  checkExpression(context, [...approval, "when"], "tool");
  steadyArguments(context, entry);
  const by = at(...approval, "by");
  if (by === "owners") return;
  if (by !== "self") checkExpression(context, [...approval, "by"], "approver");
  if (by === "self" && at(...approval, "separate") === true)
    report([...approval, "separate"], "found separate beside by: self, so that nobody could approve; accepted: false");
  if (at("console", "enabled") === false || at("console") === undefined)
    report(
      [...approval, "by"],
      "only people who sign in to the Console approve; accepted: owners, or console.enabled: true",
    );
}

/** What is another value in each call could be approved, and no call would be the approved one. */
function steadyArguments({ at, report }: RuleContext, entry: Path): void {
  const rules = at(...entry, "arguments");
  for (const argument of isJsonObject(rules) ? Object.keys(rules) : []) {
    const place = [...entry, "arguments", argument, "fix"];
    const fix = at(...place);
    if (typeof fix === "string" && headerParts(fix).some((part) => "request" in part))
      report(
        place,
        "found {{ request.id }} beside approval, so that no approved call could be made; accepted: what stays the same",
      );
  }
}

/** Rules that do not fit the tools of a catalog. A misspelt argument would stay in the agents' hands. */
export function ruleProblems(catalog: Catalog, app: unknown, path: Path): readonly Problem[] {
  const entries = valueAt(app, ["tools", "rules"]);
  const indexes = indexesOf(entries).filter((index) => toolsOf(app, index).length > 0);
  if (indexes.length === 0) return [];
  const entryOf = firstNaming(indexes, (index) => toolsOf(app, index));
  const open = createOpenTool(catalog);
  const found = new Map<string, Problem>();
  for (const tool of catalog.tools) {
    const index = entryOf(tool.localName);
    if (index === undefined) continue;
    const entry = [...path, "tools", "rules", index];
    const { inputSchema, outputSchema } = open(tool);
    const rules = rulesAt(app, index);
    const problems = [
      ...(rules === undefined ? [] : argumentProblems(misfits(inputSchema, rules), [...entry, "arguments"])),
      ...resultProblems(valueAt(app, ["tools", "rules", index, "result"]), outputSchema, [...entry, "result"]),
    ];
    for (const { path: at, message, ...more } of problems) {
      const told = JSON.stringify(at);
      if (!found.has(told)) found.set(told, { path: at, ...more, message: `${message} (the tool ${tool.localName})` });
    }
  }
  return [...found.values()];
}

function argumentProblems(problems: readonly RuleProblem[], place: Path): readonly Problem[] {
  return problems.map(({ argument, key, message }) => ({
    path: [...place, ...(argument === undefined ? [] : [argument]), ...(key === undefined ? [] : [key])],
    atKey: key === undefined,
    message,
  }));
}

/** What results have is known only where the document tells it. */
function resultProblems(result: unknown, schema: JsonSchema | undefined, place: Path): readonly Problem[] {
  const pointers = valueAt(result, ["remove"]);
  const remove = (Array.isArray(pointers) ? pointers : []).filter(
    (one): one is string => typeof one === "string" && pointerSegments(one) !== undefined,
  );
  const made = prepareResults({ remove, mask: masksIn(result).flatMap((one) => one ?? []) }, schema);
  if (!("withheld" in made)) return [];
  return made.withheld.map(({ pointer, message }) => ({
    path: pointer === undefined ? place : [...place, "remove", (pointers as readonly unknown[]).indexOf(pointer)],
    message,
  }));
}

function misfits(schema: JsonSchema, rules: readonly ArgumentRule[]) {
  const shown = shownSchema(schema, rules);
  if ("problems" in shown) return shown.problems;
  const check = createSchemaCheck();
  return rules.flatMap(({ argument, fix }) => {
    if (fix === undefined || !("value" in fix) || fix.value === null) return [];
    const property = valueAt(schema, ["properties", argument]);
    const { $defs } = schema;
    const wrong = check(
      { properties: { [argument]: property }, ...($defs !== undefined && { $defs }) },
      { [argument]: fix.value },
    );
    const message = `the value does not fit the tool's schema: ${wrong.join("; ")}`;
    return wrong.length === 0 ? [] : [{ argument, key: "fix" as const, message }];
  });
}

/** Names and patterns of an entry; none where one is a mistake, of which the schema tells. */
function toolsOf(app: unknown, index: number): readonly string[] {
  const tools = valueAt(app, ["tools", "rules", index, "tools"]);
  if (!Array.isArray(tools)) return [];
  return tools.every((name): name is string => typeof name === "string" && isToolPattern(name)) ? tools : [];
}

/** The rules of a plain document, as far as they are known and valid; undefined: there are none. */
function rulesAt(app: unknown, index: number): readonly ArgumentRule[] | undefined {
  const rules = valueAt(app, ["tools", "rules", index, "arguments"]);
  if (rules === undefined) return undefined;
  return Object.entries(isJsonObject(rules) ? rules : {}).flatMap(([argument, rule]): ArgumentRule[] => {
    if (!isJsonObject(rule)) return [];
    const { fix, hide, name, match, allow } = rule;
    const parts = typeof fix === "string" ? headerParts(fix) : [];
    const isTemplate = parts.some((part) => !("text" in part));
    return [
      {
        argument,
        ...(fix !== undefined && { fix: isTemplate ? { parts: [] } : { value: fix } }),
        ...(hide === true && { hide }),
        ...(typeof name === "string" && { name }),
        ...(typeof match === "string" && { match }),
        ...(Array.isArray(allow) && { allow }),
      },
    ];
  });
}
