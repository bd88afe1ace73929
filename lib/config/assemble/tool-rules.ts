import type { ArgumentRule, FixedArgument, FixedPart } from "../../tool-rules/argument-rule.ts";
import type { ApprovalConfiguration, ToolRulesConfiguration } from "../app-configuration.ts";
import { type HeaderPart, headerParts } from "../header-template.ts";
import { type Path, pathText } from "../path.ts";
import { type McpAppDocument, present } from "./context.ts";
import type { HeaderContext } from "./headers.ts";

type RuleDocument = NonNullable<NonNullable<McpAppDocument["tools"]>["rules"]>[number];

/** `tools.rules` of an MCP app, `index` among all apps of the document. */
export function assembleToolRules(
  { tools }: Pick<McpAppDocument, "tools">,
  index: number,
  context: HeaderContext,
): readonly ToolRulesConfiguration[] {
  return (tools?.rules ?? []).map((rule, at) => ({
    tools: rule.tools,
    ...(rule.arguments !== undefined && {
      arguments: argumentRules(rule.arguments, ["apps", index, "tools", "rules", at, "arguments"], context),
    }),
    ...(rule.result !== undefined && { result: present(rule.result) }),
    ...(rule.approval !== undefined && { approval: approvalRule(rule.approval) }),
  }));
}

function approvalRule({ by, when, separate, expires }: NonNullable<RuleDocument["approval"]>): ApprovalConfiguration {
  return { by, separate, expires, ...present({ when }) };
}

/** Also of a document that is not filled yet, as far as its values are known. */
export function argumentRules(
  rules: NonNullable<RuleDocument["arguments"]>,
  path: Path,
  context: HeaderContext,
): readonly ArgumentRule[] {
  return Object.entries(rules).map(([argument, { fix, hide, name, match, allow }]) => ({
    argument,
    ...(fix !== undefined && { fix: fixedArgument(fix, [...path, argument, "fix"], context) }),
    ...present({ hide, name, match, allow }),
  }));
}

function fixedArgument(fix: unknown, path: Path, context: HeaderContext): FixedArgument {
  if (typeof fix !== "string") return { value: fix };
  const place = pathText(path);
  // What a secret holds is never read as a template, whatever it looks like.
  const parts =
    context.withSecrets.get(place)?.flatMap(({ text, isSecret }) => (isSecret ? [{ text }] : headerParts(text))) ??
    headerParts(fix);
  const fixed = parts.filter(isFixedPart);
  return fixed.every((part) => "text" in part) ? { value: fix } : { parts: fixed };
}

/** Templates of tools name no connector. */
function isFixedPart(part: HeaderPart): part is FixedPart {
  return !("connector" in part);
}
