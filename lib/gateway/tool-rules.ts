import { lazy } from "../kernel/lazy.ts";
import type { JsonSchema, ParamHeader } from "../openapi/catalog.ts";
import type { SchemaCheck } from "../openapi/validation.ts";
import type { ArgumentRule } from "../tool-rules/argument-rule.ts";
import {
  type ArgumentRules,
  applyRules,
  type GivenArguments,
  prepareRules,
  type RuledArguments,
  type Withheld,
} from "../tool-rules/argument-rules.ts";
import type { ResultRule } from "../tool-rules/result-rule.ts";
import { prepareResults, type ResultRules, type WithheldResults } from "../tool-rules/result-rules.ts";
import { withPropertyObjects } from "../upstream/catalog/output-schema.ts";
import type { Principal } from "./identity.ts";

/** What a tool has of rules, made ready when it is needed. */
export interface RuledTool {
  /** Absent: its arguments are the agent's. */
  readonly rules?: () => ArgumentRules | Withheld;
  /** Absent: agents get its results as they are. */
  readonly results?: () => ResultRules | WithheldResults;
}

/** What the configuration says of a tool. */
export interface ConfiguredRules {
  readonly argumentRules?: readonly ArgumentRule[];
  readonly resultRule?: ResultRule;
}

/** @param own the tool's own schemas; undefined: nobody knows them */
export function ruledTool(
  { argumentRules, resultRule }: ConfiguredRules,
  own: () => Partial<ShownSchemas> | undefined,
): RuledTool {
  return {
    ...(argumentRules !== undefined && { rules: lazy(() => prepareRules(argumentRules, own()?.inputSchema)) }),
    ...(resultRule !== undefined && { results: lazy(() => prepareResults(resultRule, own()?.outputSchema)) }),
  };
}

interface ShownSchemas {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
}

/** A tool as lists show it, with what rules leave of its schemas; one that is withheld no list shows. */
export function shownTool<Tool extends ShownSchemas>({ rules, results }: RuledTool, listed: () => Tool): () => Tool {
  if (rules === undefined && results === undefined) return listed;
  return lazy(() => {
    const [made, shown] = [rules?.(), results?.()];
    const inputSchema = made === undefined || "withheld" in made ? undefined : made.schema;
    const outputSchema = shown === undefined || "withheld" in shown ? undefined : shown.schema;
    return {
      ...listed(),
      ...(inputSchema && { inputSchema }),
      ...(outputSchema && { outputSchema: withPropertyObjects(outputSchema) }),
    };
  });
}

/** The arguments of a call after the rules; undefined: there are none, or the tool is withheld. */
export function ruledArguments(
  { rules }: RuledTool,
  given: GivenArguments,
  { identity, requestId }: { readonly identity: Principal | undefined; readonly requestId: string },
  check?: SchemaCheck,
): RuledArguments | undefined {
  const made = rules?.();
  if (made === undefined || "withheld" in made) return undefined;
  return applyRules(made, given, { user: identity?.user, clientID: identity?.agent?.clientID, requestId }, check);
}

/** Arguments that clients repeat in headers, by the names that they know. */
export function shownHeaders({ rules }: RuledTool, headers: readonly ParamHeader[]): readonly ParamHeader[] {
  const made = rules?.();
  if (made === undefined || "withheld" in made) return headers;
  return headers.flatMap(({ name, path: [first = "", ...rest] }) => {
    const shown = made.shownName(first);
    return shown === undefined ? [] : [{ name, path: [shown, ...rest] }];
  });
}
