import type { Configuration } from "../../lib/config/configuration.ts";
import { createPolicies } from "../../lib/config/policy-engines.ts";
import { explainCall } from "../../lib/gateway/explain/explain-call.ts";
import type { ExplainedStep } from "../../lib/gateway/explain/explanation.ts";
import type { ExplainPorts } from "../../lib/gateway/explain/without-store.ts";
import { mcpApps } from "../../lib/gateway/tool-index.ts";
import type { Clock } from "../../lib/kernel/clock.ts";
import { parseExact } from "../../lib/upstream/wire/exact-json.ts";
import { claimsOf, parsed } from "./callers.ts";
import type { Tryable } from "./configurations.ts";
import type { Tried, TriedCall, TriedStep } from "./protocol.ts";

/** No other host is asked: a trial tells nobody of itself. */
export const NOBODY: typeof globalThis.fetch = () => Promise.reject(new TypeError("a trial asks no server"));

/** What the gateway would decide with a configuration. Throws with a reason for people where claims or arguments are no JSON. */
export async function explainWith(
  { configuration, ...none }: Tryable,
  { caller, tool, arguments: given }: TriedCall,
  clock: Clock,
): Promise<Tried> {
  if (configuration === undefined) return none as Tried;
  const claims = claimsOf(caller, configuration, clock.now());
  const ports: ExplainPorts = { fetch: NOBODY, clock };
  const call = { tool, claims, arguments: parsed(given, "The arguments", parseExact) };
  const { steps } = await explainCall(call, configuration, ports);
  const asked = serversOf(configuration, tool, ports);
  return withDecision(steps.map((step) => asKnownHere(step, asked)));
}

function withDecision(steps: readonly TriedStep[]): Tried {
  const [denied, unknown] = (["denied", "unknown"] as const).map((decision) =>
    steps.find((step) => step.decision === decision),
  );
  return { steps, decision: (denied ?? unknown)?.decision ?? "allowed" };
}

/** Names of the policies that a server decides, of the app that may have the tool. */
function serversOf({ apps }: Configuration, tool: string, ports: ExplainPorts): ReadonlySet<string> {
  const bridge = apps.find((app) => app.type === "mcpBridge" && app.catalog.tools.some(({ name }) => name === tool));
  const asked = bridge?.type === "mcpBridge" ? [bridge] : mcpApps(apps).filter(({ type }) => type === "mcpProxy");
  const policies = [...createPolicies(asked, ports).values()].flat();
  return new Set(policies.filter(({ cost }) => cost === "remote").map(({ name }) => name));
}

/** What a server says, or who is shown the token, nobody knows here: the decision is left open. */
function asKnownHere(step: ExplainedStep, servers: ReadonlySet<string>): TriedStep {
  const { name = "" } = step;
  const isPolicy = step.step === "policy" || step.step === "lists";
  if (!isPolicy || step.decision === "allowed") return step;
  if (servers.has(name)) return { ...step, decision: "unknown", why: "its server decides, which is not asked here" };
  return step.why.startsWith("cannot be asked") ? { ...step, decision: "unknown" } : step;
}
