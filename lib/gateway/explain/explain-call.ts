import type { Configuration } from "../../config/configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { JsonObject } from "../../json.ts";
import type { Identity } from "../identity.ts";
import { createPolicies } from "../policies.ts";
import { mcpProviderOf } from "../provider.ts";
import { missingAuthentication } from "../step-up.ts";
import { createToolIndex, type LocatedTool, mcpApps } from "../tool-index.ts";
import { explainCredential } from "./explain-credential.ts";
import { explainPolicies } from "./explain-policies.ts";
import { explainToken } from "./explain-token.ts";
import { allowed, denied, type ExplainedStep, type Explanation } from "./explanation.ts";
import { namedTool } from "./named-tool.ts";

export interface ExplainedCall {
  /** As agents see it. */
  readonly tool: string;
  /** Of the agent's token. */
  readonly claims: JsonObject;
  readonly arguments: unknown;
}

/**
 * What the gateway would decide on a call, and why, step by step as `prepareCall` takes them; each step is looked at,
 * whatever those before it say. OPA servers are asked, tokens are not exchanged, and no MCP server is asked. Throws where `mcpProvider` is not
 * configured.
 */
export async function explainCall(
  call: ExplainedCall,
  configuration: Configuration,
  { fetch, clock }: Pick<Dependencies, "fetch" | "clock">,
): Promise<Explanation> {
  const now = clock.now();
  const token = explainToken(call.claims, configuration, now);
  const located =
    createToolIndex(configuration.apps).get(call.tool) ?? (await namedTool(call.tool, configuration.apps));
  if (located === undefined) {
    return explanation(call.tool, [
      token.step,
      denied("tool", "there is no tool of this name; `countersign tools` lists them"),
    ]);
  }
  const policies = createPolicies(mcpApps(configuration.apps), { fetch });
  const gateway = { policies, mcpProvider: mcpProviderOf(configuration), publicURL: configuration.publicURL };
  const { identity } = token;
  const { step, credential } = explainCredential(located, configuration);
  const steps = [
    token.step,
    toolStep(located, identity, configuration),
    scopesStep(located, identity),
    signInStep(located, identity, now),
    ...(await explainPolicies(located, call.arguments, identity, gateway)),
    step,
  ];
  return { ...explanation(call.tool, steps), ...(credential !== undefined && { credential }) };
}

function explanation(tool: string, steps: readonly ExplainedStep[]): Explanation {
  const isDenied = steps.some(({ decision }) => decision === "denied");
  return { tool, decision: isDenied ? "denied" : "allowed", steps };
}

/** Which organization an agent of this instance belongs to is in the store, which is not looked at (D32). */
function toolStep(
  located: LocatedTool,
  identity: Identity | undefined,
  { oidcProvider }: Configuration,
): ExplainedStep {
  const { app } = located;
  const where = `${whatItIs(located)} of the app ${app.name}`;
  if (app.organization === undefined || identity === undefined) return allowed("tool", where);
  if (identity.issuer === oidcProvider?.issuer)
    return allowed("tool", `${where}, for agents of ${app.organization} alone`);
  return denied("tool", `${where} is there for agents of the organization ${app.organization} alone`);
}

/** What an MCP server has depends on who asks. */
function whatItIs(located: LocatedTool): string {
  if (located.kind === "bridge") return `${located.tool.method} ${located.tool.path}`;
  return `the tool ${located.tool.localName}, if it has one, of the MCP server`;
}

function scopesStep({ scopes }: LocatedTool, identity: Identity | undefined): ExplainedStep {
  if (scopes.length === 0) return allowed("scopes", "none is needed");
  const missing = scopes.filter((scope) => identity?.scopes.includes(scope) !== true);
  if (missing.length === 0) return allowed("scopes", `the token has ${scopes.join(" ")}`);
  return denied("scopes", `the token lacks ${missing.join(" ")}`);
}

function signInStep({ stepUp }: LocatedTool, identity: Identity | undefined, now: number): ExplainedStep {
  if (stepUp === undefined) return allowed("sign-in", "any will do");
  const missing = missingAuthentication(stepUp, identity?.claims, now);
  if (missing === undefined) return allowed("sign-in", "it is of the kind that is needed");
  if (missing === "acr") return denied("sign-in", `acr is none of ${stepUp.acr?.join(" ")}`);
  return denied("sign-in", `auth_time is missing, or over ${(stepUp.maxAge ?? 0) / 1_000} s ago`);
}
