import { compileCel } from "../policy/cel/compile.ts";
import { ExpressionError } from "../policy/cel/syntax.ts";
import { typeCheck } from "../policy/cel/type-check.ts";
import { createOpaPolicy, type OpaOptions } from "../policy/opa.ts";
import type { Policy } from "../policy/policy.ts";
import type { McpAppDocument } from "./assemble/context.ts";
import type { Path } from "./path.ts";
import { indexesOf, type RuleContext, reportUnlessOne } from "./rules/rule.ts";

type Inbound = McpAppDocument["authorization"]["inbound"];

/** What engines reach the world by. */
export interface EnginePorts {
  readonly fetch: typeof globalThis.fetch;
}

interface Engine {
  /** Reports what the schema cannot tell. */
  readonly check: (context: RuleContext, path: Path) => void;
  /** @param name the place of the policy. Undefined: it cannot be decided by, and the app is not served */
  readonly settings: (written: never, name: string) => object | undefined;
  readonly create: (settings: never, ports: EnginePorts) => Policy;
}

/** The engines by their keys below `authorization.inbound`, in the order in which policies stand. Another engine is one more entry. */
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
    settings: ({ name, url, timeout, forwardToken, list }: NonNullable<Inbound["opa"]>, place: string) =>
      url === undefined ? undefined : { name: name ?? place, url, timeout, forwardToken, list },
    create: (options: OpaOptions, { fetch }: EnginePorts) => createOpaPolicy(options, fetch),
  },
} as const satisfies Readonly<Record<string, Engine>>;

type Engines = typeof ENGINES;
const KEYS = Object.keys(ENGINES) as readonly (keyof Engines)[];

/** The settings of a policy. `name` is its own, or the place where it stands below `authorization.inbound`. */
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

/** The rules of an app's policies. */
export function policyRules(context: RuleContext, inbound: Path): void {
  for (const key of KEYS) ENGINES[key].check(context, [...inbound, key]);
  for (const index of indexesOf(context.at(...inbound, "rules"))) {
    const rule = [...inbound, "rules", index];
    reportUnlessOne(context, rule, KEYS);
    for (const key of KEYS) ENGINES[key].check(context, [...rule, key]);
  }
}

function policiesOf(rule: Pick<Inbound, keyof Engines>, place: string): readonly PolicyConfiguration[] {
  return KEYS.flatMap((engine) => {
    const written = rule[engine];
    if (written === undefined) return [];
    const settings = (ENGINES[engine] as Engine).settings(written as never, place + engine);
    return settings === undefined ? [] : [{ engine, ...settings } as PolicyConfiguration];
  });
}

/** Positions are those in the expression, whose lines are not always those of the document. */
function checkExpression({ at, report }: RuleContext, path: Path): void {
  const text = at(...path);
  if (typeof text !== "string") return;
  try {
    compileCel(text, "");
    typeCheck(text);
  } catch (cause) {
    if (!(cause instanceof ExpressionError)) throw cause;
    const lines = text.slice(0, cause.offset).split("\n");
    const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    report(path, `the expression is wrong at its ${place}: ${cause.message}`);
  }
}
