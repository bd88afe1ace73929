import type { AppConfiguration } from "../../config/app-configuration.ts";
import type { Configuration } from "../../config/configuration.ts";
import { createPolicies, type PolicyConfiguration } from "../../config/policy-engines.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isPlainName } from "../../kernel/plain-name.ts";
import { type PreparedRequest, prepareRequest } from "../../openapi/invoke.ts";
import { createSchemaCheck } from "../../openapi/validation.ts";
import { PINS_UNKNOWN } from "../../pins/instance-pins.ts";
import { isOffered } from "../../upstream/catalog/offered.ts";
import { ownName } from "../../upstream/names/namespaced.ts";
import { holdsExactNumber } from "../../upstream/wire/exact-json.ts";
import { policyArguments } from "../call-tool.ts";
import { explainDecision, type NamedFinding } from "../decision/decide.ts";
import type { PolicyCaller } from "../decision/policy-input.ts";
import type { Asked } from "../decision/step.ts";
import type { Identity } from "../identity.ts";
import { mcpProviderOf } from "../provider.ts";
import {
  type BridgedTool,
  createToolIndex,
  type LocatedTool,
  mcpApps,
  type ProxiedTool,
  proxyApps,
  scopesOf,
} from "../tool-index.ts";
import { ruledArguments, ruledTool } from "../tool-rules.ts";
import { createToolTerms } from "../tool-terms.ts";
import { explainAccount } from "./explain-account.ts";
import { explainCredential } from "./explain-credential.ts";
import { explainLimits } from "./explain-limits.ts";
import { explainToken } from "./explain-token.ts";
import { denied, type ExplainedStep, type Explanation, explainedDecision } from "./explanation.ts";
import {
  type ExplainPorts,
  membershipCondition,
  NO_REQUEST,
  ofOrganization,
  portsWithoutStore,
} from "./without-store.ts";

export interface ExplainedCall {
  /** As agents see it. */
  readonly tool: string;
  /** Of the agent's token. */
  readonly claims: JsonObject;
  /** As the agent writes them: `parseExact`. */
  readonly arguments: unknown;
}

/**
 * What the gateway would decide on a call, and why: the steps of the decision itself, each of them whatever those before it say.
 * OPA servers are asked, tokens are not exchanged, and no MCP server is asked. Throws where `mcpProvider` is not configured.
 */
export async function explainCall(
  call: ExplainedCall,
  configuration: Configuration,
  ports: ExplainPorts,
): Promise<Explanation> {
  const { apps } = configuration;
  const token = explainToken(call.claims, configuration, ports.clock.now());
  const tools = createToolIndex(apps);
  const located = tools.get(call.tool) ?? (await namedTool(call.tool, apps));
  if (located === undefined) {
    return explanation(call.tool, [
      token.step,
      denied("tool", "there is no tool of this name; `countersign tools` lists them"),
    ]);
  }
  const findings = await explainDecision(askedCall(located, call, token.identity, configuration), {
    ...portsWithoutStore(configuration, ports),
    policies: ports.policies ?? createPolicies(mcpApps(apps), ports),
    mcpProvider: mcpProviderOf(configuration),
    scopes: scopesOf(apps),
    pins: ports.pins ?? PINS_UNKNOWN,
    ownIssuer: configuration.oidcProvider?.issuer,
  });
  const { step, ...carried } =
    (await explainAccount(located, token.identity, configuration, ports)) ?? explainCredential(located, configuration);
  const target = { app: located.app.name, tool: located.tool.localName };
  const limits = explainLimits(target, token.identity, configuration, "mcp");
  const condition = membershipCondition(located.app, token.identity, configuration);
  const steps = [
    token.step,
    ...findings.map((finding) => explained(finding, located, condition)),
    ...limits,
    step,
    ...explainResult(located),
  ];
  return { ...explanation(call.tool, steps), ...carried };
}

function explanation(tool: string, steps: readonly ExplainedStep[]): Explanation {
  return { tool, ...explainedDecision(steps) };
}

/** A request of nobody in particular: without headers and token, and from nowhere. */
function askedCall(
  located: LocatedTool,
  call: ExplainedCall,
  identity: Identity | undefined,
  configuration: Configuration,
): Asked {
  const { app, tool, scopes, hasNoRule, pin, rules, results, stepUp, approval } = located;
  const caller = callerOf(identity && ofOrganization(identity, app, configuration), configuration);
  const given = { read: asRead(call.arguments), written: call.arguments };
  const sources = { identity: caller.identity, requestId: caller.request.requestId };
  const check = located.kind === "bridge" ? createSchemaCheck() : undefined;
  const ruled = ruledArguments(located, given, sources, check);
  const { read, written } = ruled?.outcome === "applied" ? ruled : given;
  const params = { name: tool.localName, ...policyArguments(ruled, given.read) };
  return {
    app,
    scopes,
    ...(hasNoRule && { hasNoRule }),
    ...(pin && { pin }),
    ...(rules && { rules }),
    ...(results && { results }),
    ...(ruled && { ruled }),
    ...(approval && { approval, outgoing: () => (located.kind === "proxy" ? written : read) }),
    stepUp,
    subject: { method: "tools/call", tool: { params } },
    ...(located.kind === "proxy" ? { written } : { request: preparing(located, read) }),
    caller,
  };
}

/** Makes the request of a call once. */
function preparing({ open, app }: BridgedTool, given: unknown): () => PreparedRequest {
  let made: PreparedRequest | undefined;
  return () => {
    made ??= prepareRequest(open(), given, { ...app, check: createSchemaCheck() });
    return made;
  };
}

/** Arguments as policies read them. */
function asRead(written: unknown): unknown {
  return holdsExactNumber(written) ? JSON.parse(JSON.stringify(written)) : written;
}

/** Who asks, in a request of nobody in particular. */
export function callerOf(identity: Identity | undefined, configuration: Configuration): PolicyCaller {
  const { stream, sse } = mcpProviderOf(configuration);
  const url = configuration.publicURL + (stream?.path ?? sse?.messagePath ?? "/");
  return {
    identity,
    isTokenUnknown: true,
    http: { method: "POST", url, headers: new Headers() },
    request: NO_REQUEST,
  };
}

/** Steps by the names that an explanation gives them, where these differ. */
const NAMES: Readonly<Record<string, string>> = { locate: "tool", "step-up": "sign-in", policies: "policy" };

function explained(
  { step, part, about, outcome, why }: NamedFinding,
  located: LocatedTool,
  condition: string,
): ExplainedStep {
  const rule = ruleText(step, part, located);
  return {
    step: about ?? NAMES[step] ?? step,
    ...(part !== undefined && { name: part }),
    ...(rule !== undefined && { rule }),
    decision: outcome === "allow" ? "allowed" : "denied",
    why:
      step === "locate"
        ? `${whatItIs(located)} of the app ${located.app.name}${why}${outcome === "allow" ? condition : ""}`
        : why,
  };
}

/**
 * What a step decides by, as the configuration has it. No value of a secret is among it.
 *
 * @param step of the decision
 * @param part name of a policy
 */
function ruleText(step: string, part: string | undefined, { app, scopes }: LocatedTool): string | undefined {
  if (step === "policies") {
    const policy = app.policies?.find(({ name }) => name === part);
    return policy && policyText(policy);
  }
  if (step === "scopes") return scopes.length === 0 ? undefined : `needs ${scopes.join(" ")}`;
  return step === "locate" && app.members !== undefined ? `members: ${app.members}` : undefined;
}

function policyText(policy: PolicyConfiguration): string | undefined {
  switch (policy.engine) {
    case "cel":
      return policy.expression;
    case "opa":
      // The plan is not the text that was compiled.
      return "url" in policy ? `OPA at ${new URL(policy.url).origin}` : "Rego, which instances have compiled";
    case "authzen":
      return `the decision point ${new URL(policy.pdp).origin}`;
    case "rules":
      return undefined;
  }
}

/** What becomes of an answer. That rules do not fit a step of the decision says. */
function explainResult({ results }: LocatedTool): readonly ExplainedStep[] {
  const made = results?.();
  if (made === undefined || "withheld" in made) return [];
  return [{ step: "result", decision: "allowed", why: `the agent gets the answer ${made.said}` }];
}

/** What an MCP server has depends on who asks. */
function whatItIs(located: LocatedTool): string {
  if (located.kind === "bridge") return `${located.tool.method} ${located.tool.path}`;
  return `the tool ${located.tool.localName}, if it has one, of the MCP server`;
}

/**
 * The tool of an MCP server that a name stands for as far as the configuration tells: of the first app that may have it.
 * Undefined also for a name that was cut, which the server's list alone knows.
 */
async function namedTool(name: string, apps: readonly AppConfiguration[]): Promise<ProxiedTool | undefined> {
  for (const app of isPlainName(name) ? proxyApps(apps) : []) {
    const localName = await ownName(app.namespace, name);
    if (localName === undefined || !isOffered(app, localName)) continue;
    const listed = { name, inputSchema: { type: "object" }, annotations: {} };
    const tool = { name, localName, annotations: {} };
    const terms = createToolTerms(app)(localName);
    const ruled = ruledTool(terms, () => undefined);
    return { kind: "proxy", tool, listed: () => listed, app, ...terms, ...ruled };
  }
  return undefined;
}
