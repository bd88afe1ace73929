import { compileCel } from "../policy/cel/compile.ts";
import { ExpressionError } from "../policy/cel/syntax.ts";
import { type PolicySubjectKind, typeCheck } from "../policy/cel/type-check.ts";
import {
  COMPARISON_OPERATORS,
  type Comparison,
  type ComparisonsOptions,
  comparisonOperand,
  createComparisons,
} from "../policy/comparisons.ts";
import { createOpaPolicy, type OpaOptions } from "../policy/opa.ts";
import type { Policy } from "../policy/policy.ts";
import type { McpAppDocument, WebAppDocument } from "./assemble/context.ts";
import type { Path } from "./path.ts";
import { indexesOf, type RuleContext, reportUnlessOne } from "./rules/rule.ts";

type Inbound = McpAppDocument["authorization"]["inbound"];
type WebAuthorization = NonNullable<WebAppDocument["policies"][number]["authorization"]>;

type OpaDocument = NonNullable<WebAuthorization["opa"]> & Partial<NonNullable<Inbound["opa"]>>;

/** What engines reach the world by. */
export interface EnginePorts {
  readonly fetch: typeof globalThis.fetch;
}

interface Engine {
  /** Reports what the schema cannot tell. */
  readonly check: (context: RuleContext, path: Path, about: PolicySubjectKind) => void;
  /** @param name the place of the policy. Undefined: it cannot be decided by, and the app is not served */
  readonly settings: (written: never, name: string) => object | undefined;
  readonly create: (settings: never, ports: EnginePorts) => Policy;
}

/**
 * The engines by their keys below `authorization.inbound` of MCP apps and `authorization` of web apps, in the order in which policies
 * stand. Another engine is one more entry.
 */
const ENGINES = {
  cel: {
    check: checkExpression,
    settings: (expression: string, name: string) => ({ name, expression }),
    create: ({ expression, name }: { readonly name: string; readonly expression: string }) =>
      compileCel(expression, name),
  },
  opa: {
    check: (context: RuleContext, path: Path) => {
      if (context.at(...path) !== undefined) reportUnlessOne(context, path, ["url", "rego", "file"]);
    },
    settings: ({ name, url, timeout, forwardToken, list = false }: OpaDocument, place: string) =>
      url === undefined ? undefined : { name: name ?? place, url, timeout, forwardToken, list },
    create: (options: OpaOptions, { fetch }: EnginePorts) => createOpaPolicy(options, fetch),
  },
  rules: {
    check: (context: RuleContext, path: Path) => {
      for (const index of indexesOf(context.at(...path))) {
        reportUnlessOne(context, [...path, index], COMPARISON_OPERATORS);
      }
    },
    settings: ({ rules, rulesAggregationMethod }: WebAuthorization, name: string): ComparisonsOptions | undefined =>
      rules.length === 0
        ? undefined
        : { name, rules: rules.flatMap(comparisonsOf), aggregation: rulesAggregationMethod },
    create: (options: ComparisonsOptions) => createComparisons(options),
  },
} as const satisfies Readonly<Record<string, Engine>>;

type Engines = typeof ENGINES;
/** Those that stand by themselves; `rules` of MCP apps are more policies with these. */
const KEYS = ["cel", "opa"] as const satisfies readonly (keyof Engines)[];

/** The settings of a policy. `name` is its own, or the place where it stands below the app's authorization. */
export type PolicyConfiguration = {
  [Key in keyof Engines]: { readonly engine: Key } & Parameters<Engines[Key]["create"]>[0];
}[keyof Engines];

/** The policies of each app that has some, by its name, in their order. */
export type Policies = ReadonlyMap<string, readonly Policy[]>;

interface GuardedApp {
  readonly name: string;
  readonly policies?: readonly PolicyConfiguration[] | undefined;
}

export function createPolicies(apps: readonly GuardedApp[], ports: EnginePorts): Policies {
  const create = (policy: PolicyConfiguration) => (ENGINES[policy.engine] as Engine).create(policy as never, ports);
  return new Map(
    apps.flatMap(({ name, policies = [] }) => (policies.length > 0 ? [[name, policies.map(create)]] : [])),
  );
}

/** The policies of a valid document, in the order of the keys: those that stand alone, then the rules. */
export function assemblePolicies(inbound: Inbound): readonly PolicyConfiguration[] {
  return [...policiesOf(inbound, ""), ...inbound.rules.flatMap((rule, index) => policiesOf(rule, `rules[${index}].`))];
}

/**
 * The policies of a valid web app's location, each of which has to allow a request. None: everybody who is let in may.
 *
 * @param place is put in front of their names
 */
export function assembleWebPolicies(
  authorization: WebAuthorization | undefined,
  place = "",
): readonly PolicyConfiguration[] {
  if (authorization === undefined) return [];
  const rules = ENGINES.rules.settings(authorization, `${place}rules`);
  return [
    ...(rules === undefined ? [] : [{ engine: "rules" as const, ...rules }]),
    ...policiesOf(authorization, place),
  ];
}

/** The rules of a web app's policies; `authorization` is where they stand. */
export function webPolicyRules(context: RuleContext, authorization: Path): void {
  for (const key of [...KEYS, "rules"] as const) ENGINES[key].check(context, [...authorization, key], "web");
}

/** The rules of an MCP app's policies. */
export function policyRules(context: RuleContext, inbound: Path): void {
  for (const key of KEYS) ENGINES[key].check(context, [...inbound, key], "tool");
  for (const index of indexesOf(context.at(...inbound, "rules"))) {
    const rule = [...inbound, "rules", index];
    reportUnlessOne(context, rule, KEYS);
    for (const key of KEYS) ENGINES[key].check(context, [...rule, key], "tool");
  }
}

function policiesOf(
  rule: Pick<Inbound | WebAuthorization, (typeof KEYS)[number]>,
  place: string,
): readonly PolicyConfiguration[] {
  return KEYS.flatMap((engine) => {
    const written = rule[engine];
    if (written === undefined) return [];
    const settings = (ENGINES[engine] as Engine).settings(written as never, place + engine);
    return settings === undefined ? [] : [{ engine, ...settings } as PolicyConfiguration];
  });
}

/** One: `rules` has seen to it that a rule has one operator. */
function comparisonsOf(rule: WebAuthorization["rules"][number]): readonly Comparison[] {
  return COMPARISON_OPERATORS.flatMap((operator) => {
    const [first, second] = rule[operator] ?? [];
    if (first === undefined || second === undefined) return [];
    return [{ operator, operands: [comparisonOperand(first), comparisonOperand(second)] }];
  });
}

/** Positions are those in the expression, whose lines are not always those of the document. */
function checkExpression({ at, report }: RuleContext, path: Path, about: PolicySubjectKind): void {
  const text = at(...path);
  if (typeof text !== "string") return;
  try {
    compileCel(text, "");
    typeCheck(text, about);
  } catch (cause) {
    if (!(cause instanceof ExpressionError)) throw cause;
    const lines = text.slice(0, cause.offset).split("\n");
    const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    report(path, `the expression is wrong at its ${place}: ${cause.message}`);
  }
}
