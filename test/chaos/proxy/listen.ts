import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Agent } from "./agent.ts";
import type { Heard } from "./journal.ts";
import { messageOf } from "./messages.ts";
import type { World } from "./world.ts";

/** Before a stream that ended is opened again, milliseconds. */
const PAUSE = 200;

/** Holds the stream of an agent's session, and writes down whose session it tells of. */
export async function listenAsAgent(agent: Agent, world: World, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await listenOnce(agent, world, over);
    await pause(PAUSE);
  }
}

function listenOnce(agent: Agent, { gateway, journal }: World, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const headers = { accept: "text/event-stream", ...agent.headers() };
    const outgoing = request(`${gateway.url}/mcp`, { agent: false, headers, signal: over });
    outgoing.on("error", () => resolve());
    outgoing.on("response", async (incoming) => {
      incoming.setEncoding("utf8");
      let text = "";
      try {
        for await (const piece of incoming) {
          const blocks = (text + piece).split("\n\n");
          text = blocks.pop() ?? "";
          for (const heard of blocks.flatMap((block) => heardIn(block, agent))) journal.heard(heard);
        }
      } catch {
        // The gateway was killed, or the run is over.
      }
      resolve();
    });
    outgoing.end();
  });
}

function heardIn(block: string, agent: Agent): readonly Heard[] {
  return messageOf(block).flatMap(({ params }) => {
    const { label } = (params?.data ?? {}) as { readonly label?: string };
    return label === undefined ? [] : [{ session: agent.label ?? "", label }];
  });
}
