import { boundedCache } from "../../kernel/bounded-cache.ts";
import { calledFunctions } from "../../policy/cel/compile.ts";
import type { AppConfiguration, McpAppConfiguration } from "../app-configuration.ts";
import type { Configuration } from "../configuration.ts";
import { expressionMistake } from "../policy-engines.ts";
import { limitRules } from "../rules/limits.ts";
import { indexesOf, type Problem, type Rule } from "../rules/rule.ts";
import { MOST_ENTRIES, overridesSchema, POLICY_LENGTH } from "../schema/deployment.ts";
import { validateBy } from "../validate.ts";
import { OVERRIDE_KINDS, type OverrideValues, type OverridingOrganization } from "./overrides.ts";

export type Overridden = Pick<Configuration, "apps" | "limits" | "overridable" | "mcpProvider" | "oidcProvider">;

/** Why these overrides are refused; paths begin with the kind. */
export function overrideProblems(
  values: OverrideValues,
  organization: OverridingOrganization,
  configuration: Overridden,
): readonly Problem[] {
  const locked = lockedProblems(values, configuration);
  const crowded = crowdedProblems(values);
  const others = crowded.length > 0 ? crowded : checkedOverrides(values, organization, configuration).problems;
  return [...locked, ...others];
}

export function lockedProblems(values: OverrideValues, { overridable = [] }: Overridden): readonly Problem[] {
  const accepted = overridable.length === 0 ? "none" : overridable.join(", ");
  return OVERRIDE_KINDS.filter((kind) => values[kind] !== undefined && !overridable.includes(kind)).map((kind) => ({
    path: [kind],
    message: `the operator of this instance lets organizations override no ${kind}; accepted: ${accepted}`,
  }));
}

/** Lists of which no entry is looked at: each costs time. */
export function crowdedProblems(values: OverrideValues): readonly Problem[] {
  return OVERRIDE_KINDS.flatMap((kind) => {
    const list = values[kind];
    if (!Array.isArray(list) || list.length <= MOST_ENTRIES[kind]) return [];
    return [{ path: [kind], message: `found ${list.length} ${kind}; accepted: at most ${MOST_ENTRIES[kind]} ${kind}` }];
  });
}

/** By the document's schema and rules, and by those of organizations. */
export function checkedOverrides(
  values: OverrideValues,
  organization: OverridingOrganization,
  { apps }: Pick<Overridden, "apps">,
) {
  const document = { ...values, apps: [...visibleApps(apps, organization)].map((name) => ({ name })) };
  const rules = [limitRules, ownLimitRules, policyRules(apps, organization)];
  return validateBy({ schema: overridesSchema, rules }, document);
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
    // How long a pattern takes for a name is nobody's to know, and every call would wait for it.
    const tools = [at(...about, "tool")].flat();
    if (tools.some((one) => typeof one === "string" && one.startsWith("/")))
      report(
        [...about, "tool"],
        `found ${shown(...about, "tool")}; accepted: names of tools without their namespace, one or a list, and no patterns between slashes`,
      );
  }
};

function policyRules(apps: readonly AppConfiguration[], organization: OverridingOrganization): Rule {
  const own = ownApps(apps, organization);
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
      const cel = context.at("policies", index, "cel");
      const mistake = typeof cel === "string" && cel.length <= POLICY_LENGTH ? mistakeIn(cel) : undefined;
      if (mistake !== undefined) context.report(["policies", index, "cel"], mistake);
    }
  };
}

/** By text: of another configuration most expressions are the same. */
const mistakes = boundedCache<string, { readonly mistake: string | undefined }>(1_024);

function mistakeIn(expression: string): string | undefined {
  const known = mistakes.get(expression) ?? {
    mistake: expressionMistake(expression, "tool") ?? foreignCall(expression),
  };
  mistakes.put(expression, known);
  return known.mistake;
}

/** What makes at most so much out of its operands as they are long: others, one inside of the other, grow without bound. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...["has", "size", "matches", "contains", "startsWith", "endsWith", "indexOf", "lastIndexOf", "substring"],
  ...["lowerAscii", "upperAscii", "trim", "string", "int", "uint", "double", "bool", "timestamp", "duration"],
]);

function foreignCall(expression: string): string | undefined {
  const foreign = calledFunctions(expression).find((name) => !FUNCTIONS.has(name));
  if (foreign === undefined) return undefined;
  const why =
    "every call waits for the policies of organizations, so that they run through no lists and build no texts";
  return `found the function ${foreign}; accepted: ${[...FUNCTIONS].join(", ")}: ${why}`;
}

export function isMcpApp(app: AppConfiguration): app is AppConfiguration & McpAppConfiguration {
  return app.type === "mcpBridge" || app.type === "mcpProxy";
}

/** Of the organization, and for its agents alone: what it says of the app touches nobody else. */
function isOwn(app: AppConfiguration, { organizationId, isFirst }: OverridingOrganization): boolean {
  if (!isMcpApp(app) || app.isShared) return false;
  return app.organization === undefined ? isFirst : app.organization === organizationId;
}

/** Apps that an organization may say something of, by name. */
export function ownApps(apps: readonly AppConfiguration[], organization: OverridingOrganization): ReadonlySet<string> {
  return new Set(apps.filter((app) => isOwn(app, organization)).map(({ name }) => name));
}

/** Apps that an organization's agents may call. Names of others are not told apart from those that there are not. */
export function visibleApps(
  apps: readonly AppConfiguration[],
  organization: OverridingOrganization,
): ReadonlySet<string> {
  const visible = apps.filter((app) => isMcpApp(app) && (app.isShared === true || isOwn(app, organization)));
  return new Set(visible.map(({ name }) => name));
}
