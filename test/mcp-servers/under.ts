import type { Check } from "../mcp-clients/check.ts";
import { type Agent, type AgentOptions, connectAgent, type Kind } from "../support/mcp-agent/agent.ts";
import type { Documentation } from "./documentation.ts";
import type { Guarding } from "./gateway.ts";
import type { Page } from "./page.ts";
import type { App, Servers } from "./servers.ts";

/** What all checks are about. */
export interface Under {
  readonly servers: Servers;
  readonly guarding: Guarding;
  readonly page: Page;
  readonly documentation: Documentation;
}

/** Connects agents, which last as long as the check. */
export interface Agents {
  through(options: AgentOptions): Promise<Agent>;
  /** Past the gateway, in the generation of the agent where the server speaks it. */
  direct(app: App, options: AgentOptions): Promise<Agent>;
}

/** Apps whose servers speak the stateless generation, too. */
export const STATELESS: ReadonlySet<App> = new Set(["wrapped", "docs"]);

/** Behind the legacy transport a question has no way to agents without session. */
export function canBeAsked(app: App, kind: Kind): boolean {
  return app !== "legacy" || !isStateless(kind);
}

export function isStateless(kind: Kind): boolean {
  return kind === "version 2, stateless";
}

export function check({ servers, guarding }: Under, name: string, run: (agents: Agents) => Promise<void>): Check {
  return {
    name,
    run: async () => {
      const connected: Agent[] = [];
      const kept = async (agent: Promise<Agent>): Promise<Agent> => {
        connected.push(await agent);
        return agent;
      };
      try {
        await run({
          through: async (options) => kept(connectAgent({ url: guarding.url, token: await guarding.token() }, options)),
          direct: (app, options) => kept(connectAgent(destination(app, servers), spoken(app, options))),
        });
      } finally {
        await Promise.all(connected.map((agent) => agent.close()));
      }
    },
  };
}

function destination(app: App, servers: Servers): Parameters<typeof connectAgent>[0] {
  return { url: servers[app].url, ...(app === "legacy" && { transport: "sse" }) };
}

function spoken(app: App, { kind, ...others }: AgentOptions): AgentOptions {
  return { ...others, kind: isStateless(kind) && !STATELESS.has(app) ? "version 2" : kind };
}
