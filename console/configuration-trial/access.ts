import type { McpAppConfiguration } from "../../lib/config/app-configuration.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { createPolicies } from "../../lib/config/policy-engines.ts";
import { firstNaming } from "../../lib/config/tool-names.ts";
import { visibleTools } from "../../lib/gateway/decision/decide.ts";
import type { PolicyCaller } from "../../lib/gateway/decision/policy-input.ts";
import { scopes } from "../../lib/gateway/decision/scopes.ts";
import type { Asked, ListPorts, StepPorts } from "../../lib/gateway/decision/step.ts";
import { stepUp } from "../../lib/gateway/decision/step-up.ts";
import { claimsOfClient } from "../../lib/gateway/explain/client-claims.ts";
import { callerOf } from "../../lib/gateway/explain/explain-call.ts";
import { explainToken } from "../../lib/gateway/explain/explain-token.ts";
import { membershipsWithoutStore } from "../../lib/gateway/memberships.ts";
import { mcpProviderOf } from "../../lib/gateway/provider.ts";
import { type BridgedTool, createToolIndex, mcpApps, scopesOf } from "../../lib/gateway/tool-index.ts";
import type { Clock } from "../../lib/kernel/clock.ts";
import type { Policy } from "../../lib/policy/policy.ts";
import { NOTHING_STOPPED } from "../../lib/stops/instance-stops.ts";
import { NOBODY } from "./explain.ts";
import type { TriedClient } from "./protocol.ts";

/** Whether a client may call a tool, as far as that does not depend on a call. */
export type Access =
  | { readonly may: false; readonly why: string }
  /** `under`: what each call still depends on, in words; empty: nothing. */
  | { readonly may: true; readonly under: Conditions };

/** What each call depends on. Equal keys: the same conditions. */
export interface Conditions {
  readonly words: string;
  readonly key: string;
}

/** Who may call which tools of a configuration's REST APIs. */
export interface AccessOf {
  readonly tools: readonly string[];
  /** Of one client, by the names of tools. */
  of(client: TriedClient): Promise<ReadonlyMap<string, Access>>;
}

export interface AccessOptions {
  /** Of the clients: the instance's first one, whose the apps are that name none. */
  readonly organizationId: string;
  readonly clock: Clock;
  /** A number for a text, the same for the same one: plans of policies can be long. */
  readonly numberOf: (text: string) => number;
}

/**
 * Decides as lists do, and then on scopes and sign-in. Policies that read arguments, and what only a server or the store knows, are
 * conditions of a call.
 */
export function accessWith(configuration: Configuration, { organizationId, clock, numberOf }: AccessOptions): AccessOf {
  const index = createToolIndex(configuration.apps);
  const apps = mcpApps(configuration.apps);
  const policies = createPolicies(apps, { fetch: NOBODY, clock });
  const ports: ListPorts = {
    policies: new Map([...policies].map(([app, all]) => [app, all.filter(decidesHere)])),
    mcpProvider: mcpProviderOf(configuration),
    organizationOf: async ({ organization }) => organization ?? organizationId,
    instanceStops: NOTHING_STOPPED,
    memberships: membershipsWithoutStore(configuration),
  };
  const known = { clock, scopes: scopesOf(configuration.apps) } as StepPorts;
  const conditionsOf = conditionsBy(policies, numberOf);
  // Whether a version is approved is in the store: a condition, and nothing that a list is without.
  const tools = [...index.values()].map(({ pin: _, ...tool }) => {
    const granted: Access = { may: true, under: conditionsOf(tool) };
    return { ...tool, granted };
  });
  return {
    tools: [...index.keys()],
    async of(client) {
      const token = explainToken(claimsOfClient(client, configuration, clock.now()), configuration, clock.now());
      if (token.step.decision === "denied") {
        const refused: Access = { may: false, why: `its token is not accepted: ${token.step.why}` };
        return new Map(tools.map(({ tool }) => [tool.name, refused]));
      }
      const caller = callerOf(token.identity && { ...token.identity, organizationId }, configuration);
      const visible = new Set(await visibleTools(tools, caller, ports));
      return new Map(
        tools.map((tool): readonly [string, Access] => {
          const why = visible.has(tool) ? lack(tool, caller, known) : HIDDEN;
          return [tool.tool.name, why === undefined ? tool.granted : { may: false, why }];
        }),
      );
    },
  };
}

const HIDDEN = "lists do not show it";
const CALL = { method: "tools/call" } as const;

/** A policy that says the same of lists as of calls, and of which nothing is missing here. */
function decidesHere(policy: Policy): boolean {
  return policy.cost === "local" && policy.decidesOnListing && policy.seesToken !== true;
}

/** What the token lacks of what the tool needs, whatever the call. */
function lack(tool: Omit<BridgedTool, "pin">, caller: PolicyCaller, ports: StepPorts): string | undefined {
  if (tool.scopes.length === 0 && tool.stepUp === undefined) return undefined;
  const asked: Asked = { ...tool, subject: CALL, caller };
  for (const step of [scopes, stepUp]) {
    for (const findings of step.judge(asked, ports) as Iterable<readonly { outcome: string; why: string }[]>) {
      const refusal = findings.find(({ outcome }) => outcome === "refuse");
      if (refusal !== undefined) return refusal.why;
    }
  }
  return undefined;
}

/** What calls of a tool depend on; of each app it is looked at once. */
function conditionsBy(policies: ReadonlyMap<string, readonly Policy[]>, numberOf: (text: string) => number) {
  const ofApps = new Map<McpAppConfiguration, ReturnType<typeof conditionsOfApp>>();
  return ({ app, tool }: Pick<BridgedTool, "app" | "tool">): Conditions => {
    const shared = ofApps.get(app) ?? conditionsOfApp(app, policies.get(app.name) ?? [], numberOf);
    ofApps.set(app, shared);
    const { arguments: rules, approval } = shared.ruleOf(tool.localName) ?? {};
    const words = [
      ...shared.words,
      ...(rules === undefined ? [] : ["rules for its arguments"]),
      ...(approval === undefined ? [] : [approval.when === undefined ? "an approval" : "an approval of some calls"]),
    ];
    return { words: words.join(", "), key: JSON.stringify([shared.number, rules, approval]) };
  };
}

function conditionsOfApp(app: McpAppConfiguration, policies: readonly Policy[], numberOf: (text: string) => number) {
  const open = policies.filter((policy) => !decidesHere(policy));
  const settings = (app.policies ?? []).filter(({ name }) => open.some((policy) => policy.name === name));
  return {
    words: [
      ...open.map((policy) => `${policy.name}, which ${whatDecides(policy)}`),
      ...(app.pins === undefined ? [] : ["an approved version"]),
    ],
    ruleOf: firstNaming(app.rules ?? [], ({ tools }) => tools),
    // Secrets are stand-ins, or hidden: they are not compared.
    number: numberOf(JSON.stringify([settings, app.pins], (name, value) => (name === "token" ? undefined : value))),
  };
}

function whatDecides(policy: Policy): string {
  if (policy.cost === "remote") return "asks a server";
  return policy.seesToken === true ? "reads the token" : "depends on arguments";
}
