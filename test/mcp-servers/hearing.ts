import type { Agent } from "../support/mcp-agent/agent.ts";
import { uriOf } from "./as-agents-see.ts";
import type { App } from "./servers.ts";

const RESOURCE = "demo://resource/dynamic/text/1000";
const ATTEMPTS = 30;
/** Milliseconds. */
const ANSWER_WITHIN = 500;

/**
 * Resolves when an agent hears what its session is told between requests. Its stream is opened behind the handshake, and what
 * servers tell before that is lost, also without a gateway; this one tells of each subscription.
 */
export async function hearing(agent: Agent, app: App): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const following = await agent.follow(uriOf(app, RESOURCE));
    try {
      await agent.inbox.find("notifications/message", ({ data }) => String(data).includes(RESOURCE), ANSWER_WITHIN);
      return;
    } catch {
      // Not yet.
    } finally {
      await following.end();
    }
  }
  throw new Error(`the agent does not hear ${app}`);
}
