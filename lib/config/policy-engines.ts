import { boundedCache } from "../kernel/bounded-cache.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../logging/logger.ts";
import { type AuthzenOptions, createAuthzenPolicy } from "../policy/authzen.ts";
import { compileApprover, compileCel } from "../policy/cel/compile.ts";
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
import type { LocalPolicy, Policy } from "../policy/policy.ts";
import { createRegoPolicy, type RegoOptions } from "../policy/rego/policy.ts";
import type { McpAppDocument, WebAppDocument } from "./assemble/context.ts";
import type { Path } from "./path.ts";
import type { AppPolicies } from "./policy-plans.ts";
import { indexesOf, type RuleContext, reportUnlessOne } from "./rules/rule.ts";

type Inbound = McpAppDocument["authorization"]["inbound"];
type WebAuthorization = NonNullable<WebAppDocument["policies"][number]["authorization"]>;

type AuthzenDocument = NonNullable<WebAuthorization["authzen"]> & Partial<NonNullable<Inbound["authzen"]>>;

type OpaDocument = NonNullable<WebAuthorization["opa"]> & Partial<NonNullable<Inbound["opa"]>>;

/** What engines reach the world by. */
export interface EnginePorts {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Is told what policies print. Absent: nobody is. */
  readonly logger?: Pick<Logger, "debug">;
}

interface Engine {
  /** Reports what the schema cannot tell. */
  readonly check: (context: RuleContext, path: Path, about: PolicySubjectKind) => void;
  /**
   * @param name the place of the policy
   * @param compiled the app's policies in Rego, by place
   */
  readonly settings: (written: never, name: string, compiled: AppPolicies) => object | undefined;
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
    create: ({ expression, name }: { readonly name: string; readonly expression: string }) => ({
      ...rememberedCel(expression),
      name,
    }),
  },
  opa: {
    check: (context: RuleContext, path: Path) => {
      if (context.at(...path) === undefined) return;
      reportUnlessOne(context, path, ["url", ...REGO_KEYS]);
      reportMisplaced(context, path);
    },
    settings: (written: OpaDocument, place: string, compiled: AppPolicies): OpaOptions | RegoOptions => {
      const { name = place, url, timeout, forwardToken, entrypoint, opaqueTokens, list = false } = written;
      if (url !== undefined) return { name, url, timeout, forwardToken, list };
      const policy = Object.hasOwn(compiled, place) ? compiled[place] : undefined;
      // Of an artifact of another version: there is no plan, and the instance does not start.
      const { plan, data } = policy ?? { plan: undefined, data: {} };
      return { name, plan, data, forwardToken, list, opaqueTokens, ...(entrypoint !== undefined && { entrypoint }) };
    },
    create: (options: OpaOptions | RegoOptions, { fetch, clock, logger }: EnginePorts) => {
      if ("url" in options) return createOpaPolicy(options, fetch);
      const print = (message: string) => logger?.debug("policy printed", { policy: options.name, message });
      return createRegoPolicy({ ...options, now: clock.now, print });
    },
  },
  authzen: {
    check: (context: RuleContext, path: Path) => {
      const { at, report } = context;
      const app = path.slice(0, 2);
      const isPinned = at(...app, "type") === "mcpProxy" && at(...app, "pins") !== undefined;
      if (at(...path, "mapping") === "declared" && !isPinned) {
        const why = "an MCP server declares it, which an owner has to approve";
        report([...path, "mapping"], `found declared: ${why}; accepted: pins beside it, at an app of type: mcpProxy`);
      }
      const pdp = at(...path, "pdp");
      if (typeof pdp !== "string" || !URL.canParse(pdp)) return;
      const { search, hash } = new URL(pdp);
      if (search + hash !== "")
        report([...path, "pdp"], "the identifier of a decision point has no query and no fragment");
    },
    settings: (
      { name, token, list = false, pdp, mapping, timeout, accessRequests = false }: AuthzenDocument,
      place: string,
    ): AuthzenOptions => ({
      ...{ name: name ?? place, pdp, mapping, timeout, list },
      ...(accessRequests && { accessRequests }),
      ...(token !== undefined && { token }),
    }),
    create: (options: AuthzenOptions, ports: EnginePorts) => createAuthzenPolicy(options, ports),
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
const KEYS = ["cel", "opa", "authzen"] as const satisfies readonly (keyof Engines)[];

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
export function assemblePolicies(inbound: Inbound, compiled: AppPolicies): readonly PolicyConfiguration[] {
  return [
    ...policiesOf(inbound, "", compiled),
    ...inbound.rules.flatMap((rule, index) => policiesOf(rule, `rules[${index}].`, compiled)),
  ];
}

/**
 * The policies of a valid web app's location, each of which has to allow a request. None: everybody who is let in may.
 *
 * @param place is put in front of their names
 */
export function assembleWebPolicies(
  authorization: WebAuthorization | undefined,
  place = "",
  compiled: AppPolicies = {},
): readonly PolicyConfiguration[] {
  if (authorization === undefined) return [];
  const rules = ENGINES.rules.settings(authorization, `${place}rules`);
  return [
    ...(rules === undefined ? [] : [{ engine: "rules" as const, ...rules }]),
    ...policiesOf(authorization, place, compiled),
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
  compiled: AppPolicies,
): readonly PolicyConfiguration[] {
  return KEYS.flatMap((engine) => {
    const written = rule[engine];
    if (written === undefined) return [];
    const settings = (ENGINES[engine] as Engine).settings(written as never, place + engine, compiled);
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

/** Keys of a policy in Rego, of which it has one. */
const REGO_KEYS = ["rego", "file", "plan"];

/** Keys that say something about a policy in Rego alone, or of a server alone. */
function reportMisplaced({ at, report }: RuleContext, path: Path): void {
  const isServer = at(...path, "url") !== undefined;
  for (const key of isServer ? ["data", "entrypoint", "opaqueTokens"] : []) {
    if (at(...path, key) !== undefined)
      report([...path, key], "stands beside url; accepted: beside rego, file or plan");
  }
}

/**
 * @param entrypoint as configured; absent: the plan's only one, or `orchestrator/result`
 * @throws with a message where the plan is none, or needs what is not served
 */
export function checkPlan(plan: unknown, entrypoint: string | undefined): void {
  createRegoPolicy({
    name: "",
    plan,
    forwardToken: false,
    list: false,
    ...(entrypoint !== undefined && { entrypoint }),
  });
}

/** By text: another configuration has most expressions again. Long ones are few, and the operator's. */
const compiledTexts = boundedCache<string, LocalPolicy>(1_024);
const LONGEST_REMEMBERED = 1_024;

/** @throws ExpressionError */
function rememberedCel(text: string): LocalPolicy {
  if (text.length > LONGEST_REMEMBERED) return compileCel(text, "");
  const policy = compiledTexts.get(text) ?? compileCel(text, "");
  compiledTexts.put(text, policy);
  return policy;
}

/** See `expressionMistake`. */
export function checkExpression({ at, report }: RuleContext, path: Path, about: PolicySubjectKind): void {
  const text = at(...path);
  const mistake = typeof text === "string" ? expressionMistake(text, about) : undefined;
  if (mistake !== undefined) report(path, mistake);
}

/**
 * What is wrong with an expression; undefined: nothing. Positions are those in the expression, whose lines are not always those of the
 * document.
 */
export function expressionMistake(text: string, about: PolicySubjectKind): string | undefined {
  try {
    if (about === "approver") compileApprover(text);
    else rememberedCel(text);
    typeCheck(text, about);
    return undefined;
  } catch (cause) {
    // The library has bounds of its own, but not for everything: a thousand `!` in a row use up the stack.
    if (!(cause instanceof ExpressionError))
      return "the expression is nested too deeply to be checked; accepted: a shorter one";
    const lines = text.slice(0, cause.offset).split("\n");
    const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    return `the expression is wrong at its ${place}: ${cause.message}`;
  }
}
