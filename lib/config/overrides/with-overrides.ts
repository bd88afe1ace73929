import type { z } from "zod";
import { isJsonObject } from "../../kernel/json.ts";
import type { AppConfiguration } from "../app-configuration.ts";
import { assembleLimits } from "../assemble/limits.ts";
import type { LimitConfiguration } from "../configuration.ts";
import { isOwnConnector } from "../oauth-features.ts";
import type { PolicyConfiguration } from "../policy-engines.ts";
import { lengthOf, type Problem } from "../rules/rule.ts";
import type { overridesSchema } from "../schema/deployment.ts";
import { appsOf } from "../settings/known-apps.ts";
import { OVERRIDE_KINDS, type OverrideValues, type OverridingOrganization, type StoredOverrides } from "./overrides.ts";
import {
  checkedOverrides,
  crowdedProblems,
  isMcpApp,
  lockedProblems,
  type Overridden,
  ownApps,
  visibleApps,
} from "./rules.ts";

/** What of an organization's overrides is not in use, and why. */
export interface LeftOut extends Problem {
  readonly organizationId: string;
}

/** What an organization adds to a configuration. */
interface Added {
  readonly limits: readonly LimitConfiguration[];
  readonly policies: readonly AddedPolicy[];
  readonly problems: readonly Problem[];
}

interface AddedPolicy {
  readonly app: string;
  readonly policy: PolicyConfiguration;
}

/**
 * A configuration with what organizations have set. It only adds: limits about an organization's own callers, and policies that have
 * to allow as well. What does not fit is left out, of its organization alone, and a policy that cannot be read denies: without it calls
 * would be made that it may forbid. Never throws for what is stored.
 */
export function withOverrides<Given extends Overridden>(
  configuration: Given,
  stored: ReadonlyMap<string, StoredOverrides>,
): { readonly configuration: Given; readonly leftOut: readonly LeftOut[] } {
  const added = [...stored].map(
    ([organizationId, overrides]) => [organizationId, addedBy(organizationId, overrides, configuration)] as const,
  );
  const leftOut = added.flatMap(([organizationId, { problems }]) =>
    problems.map((problem) => ({ organizationId, ...problem })),
  );
  const limits = added.flatMap(([, one]) => one.limits);
  const policies = Map.groupBy(
    added.flatMap(([, one]) => one.policies),
    ({ app }) => app,
  );
  if (limits.length === 0 && policies.size === 0) return { configuration, leftOut };
  const apps = configuration.apps.map((app) => withPolicies(app, policies.get(app.name) ?? []));
  return { configuration: { ...configuration, apps, limits: [...configuration.limits, ...limits] }, leftOut };
}

/** Whatever is wrong with one organization's is no other's trouble. */
function addedBy(organizationId: string, stored: StoredOverrides, configuration: Overridden): Added {
  try {
    return fitting(stored.values, { organizationId, isFirst: stored.isFirst }, configuration);
  } catch {
    return unreadable({ organizationId, isFirst: stored?.isFirst === true }, configuration);
  }
}

function unreadable(organization: OverridingOrganization, { apps, overridable = [] }: Overridden): Added {
  const denied = overridable.includes("policies") ? [...ownApps(apps, organization)] : [];
  return {
    limits: [],
    policies: denied.map((app) => deniedFor(app, "overrides.policies")),
    problems: overridable.map((kind) => ({
      path: [kind],
      message:
        kind === "policies"
          ? "cannot be read; until they are set again, calls of your organization's own apps are denied"
          : "cannot be read; accepted: what is set again",
    })),
  };
}

function fitting(values: OverrideValues, organization: OverridingOrganization, configuration: Overridden): Added {
  if (Object.keys(values).length === 0) return { limits: [], policies: [], problems: [] };
  const locked = lockedProblems(values, configuration);
  const open = withoutKindsOf(locked, values);
  const crowded = crowdedProblems(open);
  const readable = withoutKindsOf(crowded, open);
  const { limits, missing } = withoutMissingApps(readable.limits, visibleApps(configuration.apps, organization));
  const { problems } = checkedOverrides({ ...readable, limits }, organization, configuration);
  const wrong = [...crowded, ...problems];
  const uncounted = isAnyTold(configuration) || lengthOf(open.limits) === 0 ? [] : [UNCOUNTED];
  return {
    limits: uncounted.length > 0 ? [] : fittingLimits(limits, wrong, organization, configuration),
    policies: fittingPolicies(open.policies, wrong, ownApps(configuration.apps, organization)),
    problems: [...locked, ...missing, ...wrong.map((problem) => withApp(problem, open)), ...uncounted],
  };
}

function withoutKindsOf(problems: readonly Problem[], values: OverrideValues): OverrideValues {
  const kinds = OVERRIDE_KINDS.filter((kind) => !problems.some(({ path }) => path[0] === kind));
  return Object.fromEntries(kinds.map((kind) => [kind, values[kind]]));
}

const UNCOUNTED: Problem = {
  path: ["limits"],
  message:
    "count nobody: the gateway takes no tokens of this instance, which alone tell the organization of an agent (mcpProvider.authorization.oauth)",
};

/** Whether there are agents whose organization is known. */
function isAnyTold({ mcpProvider, oidcProvider }: Overridden): boolean {
  if (mcpProvider === undefined) return true;
  const { enabled, servers } = mcpProvider.oauth;
  return (
    enabled &&
    oidcProvider !== undefined &&
    servers.some(({ wellKnownEndpoint }) => isOwnConnector({ wellKnownURL: wellKnownEndpoint }, oidcProvider))
  );
}

/** A limit about several apps stays one about those that there are. */
function withoutMissingApps(limits: unknown, visible: ReadonlySet<string>) {
  const missing: Problem[] = [];
  if (!Array.isArray(limits)) return { limits, missing };
  const kept = limits.map((limit: unknown, index): unknown => {
    const apps = appsOf(limit);
    const known = apps.filter((app) => visible.has(app));
    if (known.length === 0 || known.length === apps.length) return limit;
    const gone = apps.filter((app) => !visible.has(app)).map((app) => JSON.stringify(app));
    const message = `found ${gone.join(", ")}, which your agents call no more; the limit is about the others`;
    missing.push({ path: ["limits", index, "for", "app"], message });
    const { for: about, ...others } = limit as { readonly for: object };
    return { ...others, for: { ...about, app: known } };
  });
  return { limits: kept, missing };
}

/** Names with a colon are no operator's. */
function fittingLimits(
  limits: unknown,
  problems: readonly Problem[],
  organization: OverridingOrganization,
  configuration: Overridden,
): readonly LimitConfiguration[] {
  const wrong = problems.filter(({ path }) => path[0] === "limits");
  if (!Array.isArray(limits) || wrong.some(({ path }) => path.length === 1)) return [];
  const kept = limits.filter((_, index) => !wrong.some(({ path }) => path[1] === index));
  const { document } = checkedOverrides({ limits: kept }, organization, configuration);
  const entries: z.output<typeof overridesSchema>["limits"] = document?.limits ?? [];
  const { organizationId: owner } = organization;
  return assembleLimits(entries).map((limit) => ({
    ...limit,
    name: `${owner}:${limit.name}`,
    owner,
    for: { ...limit.for, organization: [owner] },
  }));
}

/** Each at its place in the list that is stored, by which people find it. */
function fittingPolicies(
  policies: unknown,
  problems: readonly Problem[],
  own: ReadonlySet<string>,
): readonly AddedPolicy[] {
  if (policies === undefined) return [];
  const wrong = problems.filter(({ path }) => path[0] === "policies");
  const isWhole = wrong.some(({ path }) => path.length === 1);
  if (!Array.isArray(policies)) return [...own].map((app) => deniedFor(app, "overrides.policies"));
  const denied = new Map<string, AddedPolicy>();
  const fit = policies.flatMap((entry: unknown, index): readonly AddedPolicy[] => {
    const name = `overrides.policies[${index}]`;
    const { app, cel } = isJsonObject(entry) ? entry : {};
    if (!isWhole && !wrong.some(({ path }) => path[1] === index))
      return [{ app: String(app), policy: { engine: "cel", name, expression: String(cel) } }];
    // Which app an entry is about that names none, another release knows.
    const about = typeof app === "string" ? [app] : [...own];
    for (const one of about.filter((one) => own.has(one) && !denied.has(one))) denied.set(one, deniedFor(one, name));
    return [];
  });
  return [...denied.values(), ...fit];
}

function deniedFor(app: string, name: string): AddedPolicy {
  return { app, policy: { engine: "cel", name, expression: "false" } };
}

/** Told to who cannot see what was written: a policy of an app that is no longer the organization's alone. */
function withApp(problem: Problem, { policies }: OverrideValues): Problem {
  const [kind, index, key] = problem.path;
  if (kind !== "policies" || key !== "app" || !Array.isArray(policies)) return problem;
  const { app } = policies[Number(index)] as { readonly app?: unknown };
  if (typeof app !== "string") return problem;
  return { ...problem, message: `${JSON.stringify(app)}: ${problem.message}; the policy has no effect` };
}

function withPolicies<App extends AppConfiguration>(app: App, added: readonly AddedPolicy[]): App {
  if (added.length === 0 || !isMcpApp(app)) return app;
  return { ...app, policies: [...(app.policies ?? []), ...added.map(({ policy }) => policy)] };
}
