import type { PreparedRequest } from "../../openapi/invoke.ts";
import { invalidArgumentsText } from "../../openapi/problem-sentences.ts";
import type { Decision, Policy } from "../../policy/policy.ts";
import { holdsExactNumber } from "../../upstream/wire/exact-json.ts";
import { hiddenBy, TOKEN_UNKNOWN } from "./ask-policy.ts";
import { UNKNOWN_TOOL } from "./locate.ts";
import { type Asked, type Finding, isWebSubject, type PolicyAnswers, type Refusal, type Step } from "./step.ts";

/** Local policies first. No server is asked about a request that they refuse; it may be asked about the list, see `decide`. */
const COSTS = ["local", "remote"] as const;

/**
 * Every policy of the app allows the request. A tool that one of them keeps out of lists does not exist for the agent
 * (checklist 27).
 */
export const policies: Step = {
  name: "policies",
  async *judge(asked, { answers }) {
    if (answers.policies.length === 0) return yield [{ outcome: "allow", why: noneOf(asked) }];
    if (holdsExactNumber(asked.written)) yield [UNREADABLE_NUMBER];
    for (const cost of COSTS) {
      const group = answers.policies.filter((policy) => policy.cost === cost);
      if (group.length > 0) yield await findingsOf(group, asked, answers);
    }
  },
  async shown(tools, caller, ports) {
    const hidden = [...new Set(tools.map(({ app }) => app))].flatMap((app) => {
      const deciding = (ports.policies.get(app.name) ?? []).filter(({ decidesOnListing }) => decidesOnListing);
      if (deciding.length === 0) return [];
      const own = tools.filter((tool) => tool.app === app);
      return deciding.map((policy) => hiddenBy(policy, app.name, own, caller, ports));
    });
    if (hidden.length === 0) return tools;
    const all = new Set((await Promise.all(hidden)).flat());
    return tools.filter((tool) => !all.has(tool));
  },
};

function noneOf({ subject }: Asked): string {
  return isWebSubject(subject) ? "whoever is let in may" : "the app has none";
}

/** A policy reads doubles, and an MCP server gets the number as it was written: of one that no double holds they would see two. */
const UNREADABLE_NUMBER: Refusal = {
  outcome: "refuse",
  code: "denied_by_policy",
  message:
    "An argument is a number with more digits than policies can read; send it with at most 15 digits, or as a text.",
  reason: "unreadable_number",
  why: "an argument is a number with more digits than policies can read",
};

/** What the policies say of the request, then what they say of the list; all are asked at once. */
async function findingsOf(group: readonly Policy[], asked: Asked, answers: PolicyAnswers): Promise<readonly Finding[]> {
  const listing = asked.subject.tool === undefined ? [] : group.filter(({ decidesOnListing }) => decidesOnListing);
  const [decisions, hidden] = await Promise.all([
    Promise.all(group.map(answers.decision)),
    Promise.all(listing.map(answers.hides)),
  ]);
  const findings = [
    ...group.map((policy, index) => ofRequest(policy, decisions[index] as Decision, asked)),
    ...listing.map((policy, index) => ofList(policy, hidden[index] === true)),
  ];
  return findings.toSorted((one, other) => tierOf(one) - tierOf(other));
}

/**
 * Nobody is asked to approve what another policy denies for good. A denial without an offer may be changed by an approval that is there
 * already: it comes after those that nothing changes.
 */
function tierOf(finding: Finding): number {
  if (finding.outcome !== "refuse" || finding.access === undefined) return 0;
  return finding.access.denial.request === undefined ? 1 : 2;
}

function ofRequest(policy: Policy, decision: Decision, { subject, request }: Asked): Finding {
  const { name } = policy;
  const what = isWebSubject(subject) ? "the request" : "the call";
  if (decision.outcome === "allowed") {
    const { until } = decision;
    return { outcome: "allow", part: name, why: `allows ${what}`, ...(until !== undefined && { until }) };
  }
  const message = decision.outcome === "denied" ? decision.message : noRequest(request?.());
  return {
    outcome: "refuse",
    part: name,
    code: "denied_by_policy",
    message: message ?? (subject.tool === undefined ? NOT_ALLOWED : "A policy does not allow this call."),
    reason: "policy",
    details: { policy: name },
    why: whyNot(decision, what),
    ...accessOf(policy, decision),
  };
}

/** What is said of a request that is no call, where the policy says nothing of its own. */
export const NOT_ALLOWED = "A policy does not allow this.";

function accessOf(policy: Policy, decision: Decision): Pick<Refusal, "access"> {
  const denial = decision.outcome === "denied" ? decision.access : undefined;
  const requests = policy.cost === "remote" ? policy.accessRequests : undefined;
  return denial === undefined || requests === undefined ? {} : { access: { policy, requests, denial } };
}

/** A policy that reads the request cannot decide where arguments make none: the agent learns what is wrong with them. */
function noRequest(made: PreparedRequest | undefined): string | undefined {
  return made !== undefined && "problems" in made ? invalidArgumentsText(made.problems) : undefined;
}

function whyNot(decision: Exclude<Decision, { readonly outcome: "allowed" }>, what: string): string {
  if (decision.outcome === "denied") {
    const said = decision.message === undefined ? `denies ${what}` : `denies ${what}: ${decision.message}`;
    return decision.access?.request === undefined ? said : `${said}; access can be requested`;
  }
  if (decision.failure === TOKEN_UNKNOWN)
    return "cannot be asked: it is shown the token (forwardToken), which is not here";
  return `could not decide: ${decision.failure}`;
}

function ofList({ name }: Policy, hides: boolean): Finding {
  if (!hides) return { outcome: "allow", part: name, about: "lists", why: "shows the tool" };
  return {
    ...UNKNOWN_TOOL,
    outcome: "refuse",
    part: name,
    about: "lists",
    reason: "policy",
    details: { policy: name },
    why: "hides the tool: a call is answered as that of no tool",
  };
}
