import { match, ok, strictEqual } from "node:assert/strict";
import type { Check } from "../../mcp-clients/check.ts";
import { type Agent, type Json, KINDS } from "../../support/mcp-agent/agent.ts";
import { nameOf, uriOf } from "../as-agents-see.ts";
import { outcomeOf, textOf } from "../outcome.ts";
import type { App } from "../servers.ts";
import { check, isStateless, type Under } from "../under.ts";
import { visit } from "./browser.ts";

/** What tells that an app's server answers. */
const USES: Readonly<Record<App, (agent: Agent, under: Under) => Promise<string>>> = {
  stream: (agent) => text(agent, "stream", "echo", { message: "hello" }),
  legacy: (agent) => text(agent, "legacy", "echo", { message: "hello" }),
  wrapped: (agent) => text(agent, "wrapped", "echo", { message: "hello" }),
  browser: (agent, { page }) => visit(agent, page.url),
  docs: (agent) => text(agent, "docs", "query-docs", { libraryId: "/honojs/hono", query: "hello" }),
};

const ANSWERS = /hello|Greeter/;

/** Servers are killed and started again: agents that they knew go on, and the other servers' tools work all the while. */
export function restartChecks(under: Under): readonly Check[] {
  const apps = Object.keys(under.servers) as App[];
  return apps.map((app) =>
    check(under, `${app}: killed and started again, every agent goes on`, async (agents) => {
      const connected = await Promise.all(KINDS.map((kind) => agents.through({ kind })));
      const use = USES[app];
      for (const agent of connected) match(await use(agent, under), ANSWERS);
      const followed = app === "stream" ? connected.filter(({ kind }) => !isStateless(kind)) : [];
      const resource = uriOf(app, "demo://resource/dynamic/text/9");
      for (const agent of followed) await agent.follow(resource);
      await under.servers[app].kill();
      const [one] = connected;
      ok(one);
      // What it never listed is unknown, also while nobody can ask it.
      const { error } = await outcomeOf(one.callTool({ name: nameOf(app, "whatever"), arguments: {} }));
      ok(error);
      const other = app === "wrapped" ? "stream" : "wrapped";
      match(await USES[other](one, under), ANSWERS);
      await under.servers[app].start();
      for (const agent of connected) match(await use(agent, under), ANSWERS, agent.kind);
      for (const agent of followed) {
        agent.inbox.clear();
        await agent.callTool({ name: nameOf(app, "toggle-subscriber-updates") });
        strictEqual((await agent.inbox.find("notifications/resources/updated")).params?.uri, resource);
      }
    }),
  );
}

async function text(agent: Agent, app: App, name: string, args: Json): Promise<string> {
  return textOf(await agent.callTool({ name: nameOf(app, name), arguments: args }));
}
