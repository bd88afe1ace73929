import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../random.ts";
import { type Agent, startAgent } from "./agent.ts";
import { callSomething } from "./calls.ts";
import { VISITOR } from "./cast.ts";
import type { World } from "./world.ts";

/** Calls of one agent that run at the same time. */
const AT_ONCE = 3;
/** Between two calls, milliseconds; after one that failed longer, so that most are made where they may succeed. */
const REST = { most: 60, afterFailure: 400 };
/** How long an agent waits for a gateway that is not there, milliseconds: some calls are to meet none. */
const PATIENCE = 10_000;
const MOST_CALLS_OF_A_VISIT = 6;

/** Calls again and again, several at once, in one session from beginning to end. */
export async function actAsAgent(agent: Agent, random: Random, world: World, isOver: () => boolean): Promise<void> {
  const one = async (own: Random): Promise<void> => {
    while (!isOver()) {
      await world.gate.pass(own.between(0, PATIENCE));
      await rest(await callSomething(agent, own, world), own);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, () => one(random.fork())));
}

/** Begins a session, calls a few times and ends it, again and again. */
export async function actAsVisitor(random: Random, world: World, isOver: () => boolean): Promise<void> {
  for (let visit = 1; !isOver(); visit++) {
    const agent = await startAgent(VISITOR, `V-${visit}`, world);
    for (let calls = random.between(1, MOST_CALLS_OF_A_VISIT); calls > 0 && !isOver(); calls--)
      await rest(await callSomething(agent, random, world), random);
    await agent.end();
    await pause(random.between(0, REST.most));
  }
}

async function rest({ ending }: Awaited<ReturnType<typeof callSomething>>, random: Random): Promise<void> {
  await pause(random.between(0, ending.kind === "result" ? REST.most : REST.afterFailure));
}
