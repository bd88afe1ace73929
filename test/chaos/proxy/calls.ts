import type { Random } from "../random.ts";
import type { Agent, Params } from "./agent.ts";
import { principalText, UPSTREAMS, type UpstreamRole } from "./cast.ts";
import type { Call, Ending, Made } from "./journal.ts";
import { readEnding } from "./read-ending.ts";
import { newNonce, type World } from "./world.ts";

/** What agents take for the end of their own session, also those that have none. */
const SESSION_NOT_FOUND = -32001;

export type What = Call["what"];

/** How often each is asked for, in proportion. */
const SHARES: Readonly<Record<What, number>> = {
  echo: 10,
  slow: 4,
  big: 3,
  half: 1,
  grumble: 1,
  read: 3,
  list_tools: 1,
  list_resources: 1,
};
const DRAWN = Object.entries(SHARES).flatMap(([what, share]) => Array<What>(share).fill(what as What));
/** Of all calls, those that the agent does not wait for, and how long it waits at most, milliseconds. */
const IMPATIENCE = 0.03;
const PATIENCE = 250;

export async function callSomething(agent: Agent, random: Random, world: World): Promise<Made> {
  const what = random.pick(DRAWN) ?? "echo";
  const upstream = random.pick(UPSTREAMS) as UpstreamRole;
  const leaveAfter = random.chance(IMPATIENCE) ? random.between(1, PATIENCE) : undefined;
  return call(what, upstream, agent, world, leaveAfter);
}

/** Makes one call and writes down what became of it. */
export async function call(
  what: What,
  upstream: UpstreamRole,
  agent: Agent,
  world: World,
  leaveAfter?: number,
): Promise<Made> {
  const nonce = newNonce(world);
  const label = agent.label ?? `alone-${nonce}`;
  const { name, ...role } = agent.role;
  const asked: Call = { nonce, agent: name, label, principal: principalText(role), app: upstream.name, what };
  const [method, params] = requestOf(asked, upstream);
  const from = Date.now();
  const { id, outcome } = await agent.send(method, params, leaveAfter);
  const ending: Ending = "loss" in outcome ? { kind: outcome.loss, text: "" } : readEnding(outcome, id, asked);
  const made = { ...asked, from, to: Date.now(), ending };
  world.journal.made(made);
  if (ending.kind === "error" && ending.code === SESSION_NOT_FOUND) {
    world.journal.lostSession(label);
    if (agent.label !== undefined) await agent.renew();
  }
  return made;
}

function requestOf({ nonce, label, what }: Call, { name, prefix }: UpstreamRole): readonly [string, Params] {
  if (what === "list_tools") return ["tools/list", {}];
  if (what === "list_resources") return ["resources/list", {}];
  if (what === "read") return ["resources/read", { uri: `${prefix === "" ? "" : `${name}+`}note://${nonce}/${label}` }];
  return ["tools/call", { name: prefix + what, arguments: { nonce, label }, _meta: { progressToken: nonce } }];
}
