import type { Policy } from "../../policy/policy.ts";
import { approval } from "./approval.ts";
import { policyAnswers } from "./ask-policy.ts";
import { locate, UNKNOWN_TOOL } from "./locate.ts";
import { pin } from "./pin.ts";
import { policies } from "./policies.ts";
import type { PolicyCaller } from "./policy-input.ts";
import { fitting, rules } from "./rules.ts";
import { scopes } from "./scopes.ts";
import type {
  ApprovedUse,
  Asked,
  DecisionPorts,
  Finding,
  ListCandidate,
  ListPorts,
  PolicyAnswers,
  Refusal,
  Step,
  StepPorts,
} from "./step.ts";
import { stepUp } from "./step-up.ts";
import { stop } from "./stop.ts";

/** The decision: every request of an agent, and every one of a web app, goes through these, in this order. Another step is one more entry. */
const STEPS: readonly Step[] = [locate, fitting, stop, pin, scopes, stepUp, rules, policies, approval];

/** Whether a request may be made that nobody approves: undefined, or the first refusal. */
export async function decide(asked: Asked, ports: Omit<DecisionPorts, "stores">): Promise<Refusal | undefined> {
  const decision = await decideCall(asked, ports);
  return "outcome" in decision ? decision : undefined;
}

/** A request may be made. */
export interface Permit {
  /** Absent: nobody had to approve it. */
  readonly use?: ApprovedUse;
  /** When an approval of a decision point's ends that it rests on; milliseconds since the epoch. */
  readonly until?: number;
}

/** The same for a call, which may use up what a person has approved. */
export async function decideCall(asked: Asked, ports: DecisionPorts): Promise<Refusal | Permit> {
  const given = stepPorts(asked, ports);
  let permit: Permit = {};
  for (const { judge } of STEPS) {
    for await (const stage of judge(asked, given)) {
      for (const finding of stage) {
        if (finding.outcome === "refuse") return concealed(finding, given.answers);
        const { use, until } = finding;
        if (use !== undefined) permit = { ...permit, use };
        if (until !== undefined) permit = { ...permit, until: Math.min(until, permit.until ?? until) };
      }
    }
  }
  return permit;
}

/** What a step found, for an explanation. */
export type NamedFinding = Finding & { readonly step: string };

/** What each step has to say of a request, whatever those before it say. */
export async function explainDecision(asked: Asked, ports: DecisionPorts): Promise<readonly NamedFinding[]> {
  const given = stepPorts(asked, ports);
  const findings: NamedFinding[] = [];
  for (const { name, judge } of STEPS) {
    for await (const stage of judge(asked, given))
      findings.push(...stage.map((finding) => ({ ...finding, step: name })));
  }
  return findings;
}

/** Those of the tools that the caller may see, in their order: all steps show them. */
export async function visibleTools<Tool extends ListCandidate>(
  tools: readonly Tool[],
  caller: PolicyCaller,
  ports: ListPorts,
): Promise<readonly Tool[]> {
  let visible = tools;
  for (const { shown } of STEPS) {
    if (shown !== undefined) visible = await shown(visible, caller, ports);
  }
  return visible;
}

/** Candidates for each tool that is wanted, so that mostly one request to a policy's server is enough. */
const SPARE = 5;

/** The first of the tools that the caller may see. Policies are asked about a part of them, and about all others at most once more. */
export async function firstVisible<Tool extends ListCandidate>(
  tools: readonly Tool[],
  count: number,
  caller: PolicyCaller,
  ports: ListPorts,
): Promise<readonly Tool[]> {
  const candidates = await locate.shown(tools, caller, ports);
  const first = await visibleTools(candidates.slice(0, count * SPARE), caller, ports);
  if (first.length >= count) return first.slice(0, count);
  const others = await visibleTools(candidates.slice(count * SPARE), caller, ports);
  return [...first, ...others].slice(0, count);
}

function stepPorts(asked: Asked, ports: DecisionPorts): StepPorts {
  const { organizationOf, memberships, instanceStops, pins, clock, scopes: known, stores, ownIssuer } = ports;
  return {
    ...{ organizationOf, memberships, instanceStops, clock, scopes: known, ownIssuer },
    ...(pins !== undefined && { pins }),
    ...(stores !== undefined && { stores }),
    answers: policyAnswers(asked, ports),
  };
}

/**
 * A refusal tells that there is a tool. The policies are asked before whether the agent may know: local ones first, servers
 * only if none of these hides the tool. A server that does not answer hides it.
 */
async function concealed(refusal: Refusal, answers: PolicyAnswers): Promise<Refusal> {
  if (refusal.code === UNKNOWN_TOOL.code) return refusal;
  if (!(await isHiddenBy("local", answers)) && !(await isHiddenBy("remote", answers))) return refusal;
  const { reason, details } = refusal;
  return {
    ...UNKNOWN_TOOL,
    outcome: "refuse",
    reason: "policy",
    ...(reason === "policy" && details && { details }),
    why: refusal.why,
  };
}

async function isHiddenBy(cost: Policy["cost"], { policies: all, hides }: PolicyAnswers): Promise<boolean> {
  const group = all.filter((policy) => policy.cost === cost);
  return (await Promise.all(group.map(hides))).includes(true);
}
