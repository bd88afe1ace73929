import type { BoundedCache } from "../../kernel/bounded-cache.ts";
import { isJsonObject } from "../../kernel/json.ts";
import { lruCache } from "../../kernel/lru-cache.ts";
import {
  ALLOWED,
  DENIED,
  type Decision,
  failed,
  type LocalPolicy,
  type McpPolicyInput,
  type Policy,
  type PolicyInput,
  type RemotePolicy,
} from "../../policy/policy.ts";
import { type PolicyCaller, policyInput, webPolicyInput, withToken } from "./policy-input.ts";
import { type Asked, isWebSubject, type ListCandidate, type ListPorts, type PolicyAnswers } from "./step.ts";

/** How a policy fails that is shown the caller's token, where nobody knows it. */
export const TOKEN_UNKNOWN = "token_unknown";

type AskingPorts = Pick<ListPorts, "mcpProvider">;

/** Asks the policies of an app about one request. */
export function policyAnswers(asked: Asked, ports: AskingPorts & Pick<ListPorts, "policies">): PolicyAnswers {
  const { app, policySet = app.name, caller, subject } = asked;
  const policies = ports.policies.get(policySet) ?? [];
  const input = isWebSubject(subject)
    ? webPolicyInput(subject.http, caller)
    : { ...policyInput({ ...subject, app: app.name }, caller, ports, asked.request), ...mappingOf(asked) };
  const decision = oncePerPolicy((policy) => {
    const decide = () =>
      policy.cost === "local"
        ? decideHere(policy, input, caller)
        : ask(policy, input, caller, (given) => policy.decide(given, asked.approvals?.get(policy)));
    return measured({ policy, app: app.name, caller }, decide, (decided) => decided);
  });
  const hides = oncePerPolicy(async (policy) => {
    if (isWebSubject(subject) || subject.tool === undefined || !policy.decidesOnListing) return false;
    // It does not read the arguments, and so says the same of the list.
    if (policy.cost === "local") return (await decision(policy)).outcome !== "allowed";
    const tool = { localName: subject.tool.params.name };
    return (await hiddenBy(policy, app.name, [{ tool }], caller, ports)).length > 0;
  });
  return { policies, decision, hides };
}

/** Of a tool whose definition an owner approved: the step about pins has let it through. */
function mappingOf({ app, pin }: Asked): Pick<PolicyInput, "declaredMapping"> {
  if (app.pins === undefined || pin === undefined) return {};
  return {
    declaredMapping: () => {
      const { inputSchema } = pin().definition;
      return isJsonObject(inputSchema) ? inputSchema["x-authzen-mapping"] : undefined;
    },
  };
}

/** Those of an app's tools that one policy keeps out of lists. */
export async function hiddenBy<Tool extends NamedTool>(
  policy: Policy,
  app: string,
  tools: readonly Tool[],
  caller: PolicyCaller,
  ports: AskingPorts,
): Promise<readonly Tool[]> {
  const list = () =>
    policy.cost === "local"
      ? decideEach(policy, app, tools, caller, ports)
      : askOnce(policy, app, tools, caller, ports);
  return (await measured({ policy, app, caller }, list, ({ decision }) => decision)).hidden;
}

/** What a policy learns of a tool on a list. */
type NamedTool = Pick<ListCandidate, "tool">;

/** What one policy says of the tools of an app, and what that comes to. */
interface ListAnswer<Tool> {
  readonly hidden: readonly Tool[];
  readonly decision: Decision;
}

/** Of a shorter list nothing is remembered: policies have decided on it about as quickly. */
const SHORTEST_REMEMBERED = 20;
/** Names of all lists that are remembered of one policy, 8 bytes each: the lists themselves have the texts. */
const MOST_REMEMBERED = 500_000;
/** What a remembered list counts besides its names. */
const OVERHEAD = 100;

/** What a policy says of a list, which it would say again. */
interface RememberedAnswer {
  readonly names: readonly string[];
  /** Places in the list. */
  readonly hidden: ReadonlySet<number>;
  readonly decision: Decision;
}

type Remembered = Pick<BoundedCache<string, RememberedAnswer>, "get" | "put">;

/** A policy is one of one configuration, and is forgotten with it. */
const remembered = new WeakMap<LocalPolicy, Remembered>();

function decideEach<Tool extends NamedTool>(
  policy: LocalPolicy,
  app: string,
  tools: readonly Tool[],
  caller: PolicyCaller,
  ports: AskingPorts,
): ListAnswer<Tool> {
  const input = policyInput({ method: "tools/call", app }, caller, ports);
  const { hidden, decision } =
    policy.readsCallerAlone && tools.length >= SHORTEST_REMEMBERED
      ? rememberedAnswer(policy, tools, input, caller)
      : answerOf(policy, tools, input, caller);
  return { hidden: hidden.size === 0 ? [] : tools.filter((_, index) => hidden.has(index)), decision };
}

/** All that the policy reads is in the key, or is a name of the list. */
function rememberedAnswer(
  policy: LocalPolicy,
  tools: readonly NamedTool[],
  input: McpPolicyInput,
  caller: PolicyCaller,
): RememberedAnswer {
  const { request, user, agent, token } = input;
  const key = JSON.stringify([request.mcp.app, tools.length, user, agent, token]);
  const answers =
    remembered.get(policy) ??
    lruCache<string, RememberedAnswer>(MOST_REMEMBERED, ({ names }) => names.length + OVERHEAD);
  remembered.set(policy, answers);
  const known = answers.get(key);
  if (known?.names.every((name, index) => tools[index]?.tool.localName === name)) return known;
  const answer = answerOf(policy, tools, input, caller);
  answers.put(key, answer);
  return answer;
}

function answerOf(
  policy: LocalPolicy,
  tools: readonly NamedTool[],
  input: McpPolicyInput,
  caller: PolicyCaller,
): RememberedAnswer {
  const { http, mcp } = input.request;
  const names = tools.map(({ tool }) => tool.localName);
  const hidden = new Set<number>();
  let failure: Decision | undefined;
  for (const [index, name] of names.entries()) {
    const asked = { ...mcp, tool: { params: { name } } };
    const decision = decideHere(policy, { ...input, request: { http, mcp: asked } }, caller);
    if (decision.outcome !== "allowed") hidden.add(index);
    if (decision.outcome === "failed") failure ??= decision;
  }
  return { names, hidden, decision: failure ?? (hidden.size > 0 ? DENIED : ALLOWED) };
}

/** A policy that is evaluated here, with the caller's token where it is shown that. */
function decideHere(policy: LocalPolicy, input: PolicyInput, caller: PolicyCaller): Decision {
  if (policy.seesToken !== true) return policy.decide(input);
  return caller.isTokenUnknown ? failed(TOKEN_UNKNOWN) : policy.decide(withToken(input, caller));
}

async function askOnce<Tool extends NamedTool>(
  policy: RemotePolicy,
  app: string,
  tools: readonly Tool[],
  caller: PolicyCaller,
  ports: AskingPorts,
): Promise<ListAnswer<Tool>> {
  const asked = tools.map(({ tool }) => ({ params: { name: tool.localName } }));
  const input = policyInput({ method: "tools/list", app, tools: asked }, caller, ports);
  const answer = await ask(policy, input, caller, policy.list);
  if ("outcome" in answer) return { hidden: answer.outcome === "allowed" ? [] : tools, decision: answer };
  const hidden = tools.filter(({ tool }) => !answer.has(tool.localName));
  return { hidden, decision: hidden.length > 0 ? DENIED : ALLOWED };
}

async function ask<Answer>(
  { seesToken }: RemotePolicy,
  input: PolicyInput,
  caller: PolicyCaller,
  question: (input: PolicyInput) => Promise<Answer>,
): Promise<Answer | Decision> {
  if (!seesToken) return question(input);
  return caller.isTokenUnknown ? failed(TOKEN_UNKNOWN) : question(withToken(input, caller));
}

function oncePerPolicy<Answer>(ask: (policy: Policy) => Promise<Answer>): (policy: Policy) => Promise<Answer> {
  const answers = new Map<Policy, Promise<Answer>>();
  return (policy) => {
    const answer = answers.get(policy) ?? ask(policy);
    answers.set(policy, answer);
    return answer;
  };
}

/** Where and for whom a policy decides. */
interface PolicyUse {
  readonly policy: Policy;
  readonly app: string;
  readonly caller: Pick<PolicyCaller, "request">;
}

/** Lets a policy decide, as a part of the request's trace; tells the log when it could not. */
async function measured<T>(
  { policy, app, caller }: PolicyUse,
  decide: () => T | Promise<T>,
  outcomeOf: (decided: T) => Decision,
): Promise<T> {
  const { logger, telemetry } = caller.request;
  const span = telemetry?.span?.startChild({ name: `policy ${policy.name}`, kind: "internal" });
  const beganAt = performance.now();
  const decided = await decide();
  const decision = outcomeOf(decided);
  const failure = decision.outcome === "failed" ? decision.failure : undefined;
  const attributes = {
    "countersign.app": app,
    "countersign.policy": policy.name,
    "countersign.outcome": decision.outcome,
    "error.type": failure,
  };
  telemetry?.record("countersign.policy.duration", (performance.now() - beganAt) / 1_000, attributes);
  span?.set(attributes);
  span?.end(failure);
  if (failure !== undefined) logger.warn("policy could not decide", { app, policy: policy.name, failure });
  return decided;
}
