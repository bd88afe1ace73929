import type { z } from "zod";
import type { AppConfiguration, McpAppConfiguration } from "../app-configuration.ts";
import { assembleLimits } from "../assemble/limits.ts";
import type { Configuration, LimitConfiguration } from "../configuration.ts";
import { checkExpression, type PolicyConfiguration } from "../policy-engines.ts";
import { limitRules } from "../rules/limits.ts";
import { indexesOf, type Problem, type Rule } from "../rules/rule.ts";
import { overridesSchema } from "../schema/deployment.ts";
import { validateBy } from "../validate.ts";
import {
  OVERRIDE_KINDS,
  type OverrideKind,
  type OverrideValues,
  type OverridingOrganization,
  type StoredOverrides,
} from "./overrides.ts";

/** What of an organization's overrides is not in use, and why. */
export interface LeftOut extends Problem {
  readonly organizationId: string;
}

type Overridden = Pick<Configuration, "apps" | "limits" | "overridable">;
type Entries = Pick<z.output<typeof overridesSchema>, OverrideKind>;

/**
 * A configuration with what organizations have set. It only adds: limits about an organization's own callers, and policies that have
 * to allow as well. What does not fit is left out, of its organization alone.
 */
export function withOverrides<Given extends Overridden>(
  configuration: Given,
  stored: ReadonlyMap<string, StoredOverrides>,
): { readonly configuration: Given; readonly leftOut: readonly LeftOut[] } {
  const leftOut: LeftOut[] = [];
  const limits: LimitConfiguration[] = [];
  const policies = new Map<string, PolicyConfiguration[]>();
  for (const [organizationId, { isFirst, values }] of stored) {
    if (Object.keys(values).length === 0) continue;
    const { entries, problems } = fittingEntries(values, { organizationId, isFirst }, configuration);
    leftOut.push(...problems.map((problem) => ({ organizationId, ...problem })));
    limits.push(...limitsOf(organizationId, entries.limits));
    for (const [index, { app, cel }] of entries.policies.entries()) {
      const policy = { engine: "cel" as const, name: `overrides.policies[${index}]`, expression: cel };
      policies.set(app, [...(policies.get(app) ?? []), policy]);
    }
  }
  if (limits.length === 0 && policies.size === 0) return { configuration, leftOut };
  const apps = configuration.apps.map((app) => withPolicies(app, policies.get(app.name) ?? []));
  return { configuration: { ...configuration, apps, limits: [...configuration.limits, ...limits] }, leftOut };
}

/** Why these overrides are refused; paths begin with the kind. */
export function overrideProblems(
  values: OverrideValues,
  organization: OverridingOrganization,
  configuration: Overridden,
): readonly Problem[] {
  return [...lockedProblems(values, configuration), ...validated(values, organization, configuration).problems];
}

function lockedProblems(values: OverrideValues, { overridable = [] }: Overridden): readonly Problem[] {
  const accepted = overridable.length === 0 ? "none" : overridable.join(", ");
  return OVERRIDE_KINDS.filter((kind) => values[kind] !== undefined && !overridable.includes(kind)).map((kind) => ({
    path: [kind],
    message: `the operator of this instance lets organizations override no ${kind}; accepted: ${accepted}`,
  }));
}

function validated(values: OverrideValues, organization: OverridingOrganization, { apps }: Overridden) {
  const document = {
    ...values,
    apps: apps.filter((app) => isVisible(app, organization)).map(({ name }) => ({ name })),
  };
  const rules = [limitRules, ownLimitRules, policyRules(apps, organization)];
  return validateBy({ schema: overridesSchema, rules }, document);
}

/** Entries without those that are wrong. */
function fittingEntries(
  values: OverrideValues,
  organization: OverridingOrganization,
  configuration: Overridden,
): { readonly entries: Entries; readonly problems: readonly Problem[] } {
  const locked = lockedProblems(values, configuration);
  const open = Object.fromEntries(
    OVERRIDE_KINDS.filter((kind) => !locked.some(({ path }) => path[0] === kind)).map((kind) => [kind, values[kind]]),
  ) as OverrideValues;
  const { document, problems } = validated(open, organization, configuration);
  if (document !== undefined) return { entries: document, problems: locked };
  const kept = Object.fromEntries(
    OVERRIDE_KINDS.map((kind) => [kind, keptOf(kind, open[kind], problems)] as const),
  ) as OverrideValues;
  const again = validated(kept, organization, configuration);
  const entries = again.document ?? { limits: [], policies: [] };
  return { entries, problems: [...locked, ...problems, ...again.problems] };
}

/** A policy that cannot be read denies: without it calls would be made that it may forbid. */
function keptOf(kind: OverrideKind, entries: unknown, problems: readonly Problem[]): unknown {
  const own = problems.filter(({ path }) => path[0] === kind);
  if (!Array.isArray(entries) || own.some(({ path }) => path.length === 1)) return undefined;
  return entries.flatMap((entry: unknown, index) => {
    const wrong = own.filter(({ path }) => path[1] === index);
    if (wrong.length === 0) return [entry];
    return wrong.every(({ path }) => path[2] === "cel") ? [{ ...(entry as object), cel: "false" }] : [];
  });
}

/** Names with a colon are no operator's. */
function limitsOf(owner: string, limits: Entries["limits"]): readonly LimitConfiguration[] {
  return assembleLimits(limits).map((limit) => ({
    ...limit,
    name: `${owner}:${limit.name}`,
    owner,
    for: { ...limit.for, organization: [owner] },
  }));
}

function withPolicies<App extends AppConfiguration>(app: App, policies: readonly PolicyConfiguration[]): App {
  if (policies.length === 0 || !isMcpApp(app)) return app;
  return { ...app, policies: [...(app.policies ?? []), ...policies] };
}

/** A limit of an organization is about calls of its own agents, whichever app they call. */
const ownLimitRules: Rule = ({ at, report, shown }) => {
  for (const index of indexesOf(at("limits"))) {
    const about = ["limits", index, "for"] as const;
    if (at(...about, "organization") !== undefined)
      report([...about, "organization"], "found organization; accepted: none, as the limit is about yours alone");
    const endpoint = at(...about, "endpoint");
    if (endpoint !== undefined && [endpoint].flat().some((one) => one !== "mcp"))
      report([...about, "endpoint"], `found ${shown(...about, "endpoint")}; accepted: mcp`);
  }
};

function policyRules(apps: readonly AppConfiguration[], organization: OverridingOrganization): Rule {
  const own = new Set(apps.filter((app) => isOwn(app, organization)).map(({ name }) => name));
  return (context) => {
    for (const index of indexesOf(context.at("policies"))) {
      const app = context.at("policies", index, "app");
      if (typeof app === "string" && !own.has(app)) {
        const accepted = own.size === 0 ? "there is none yet" : `accepted: ${[...own].join(", ")}`;
        context.report(
          ["policies", index, "app"],
          `found no app of your organization alone whose tools agents call; ${accepted}`,
        );
      }
      checkExpression(context, ["policies", index, "cel"], "tool");
    }
  };
}

function isMcpApp(app: AppConfiguration): app is AppConfiguration & McpAppConfiguration {
  return app.type === "mcpBridge" || app.type === "mcpProxy";
}

/** Of the organization, and for its agents alone: what it says of the app touches nobody else. */
function isOwn(app: AppConfiguration, { organizationId, isFirst }: OverridingOrganization): boolean {
  if (!isMcpApp(app) || app.isShared) return false;
  return app.organization === undefined ? isFirst : app.organization === organizationId;
}

/** Names of other apps are not told apart from those that there are not. */
function isVisible(app: AppConfiguration, organization: OverridingOrganization): boolean {
  return isMcpApp(app) && (app.isShared === true || isOwn(app, organization));
}
