import { deepStrictEqual } from "node:assert/strict";
import type { Check } from "../../mcp-clients/check.ts";
import { type Agent, type Json, KINDS } from "../../support/mcp-agent/agent.ts";
import { asAgentsSee, kindred } from "../as-agents-see.ts";
import type { App } from "../servers.ts";
import { canBeAsked, check, type Under } from "../under.ts";

type Method = "listTools" | "listResources" | "listResourceTemplates" | "listPrompts";

const LISTS: readonly (readonly [Method, string, capability: string])[] = [
  ["listTools", "tools", "tools"],
  ["listResources", "resources", "resources"],
  ["listResourceTemplates", "resourceTemplates", "resources"],
  ["listPrompts", "prompts", "prompts"],
];

/** Agents see what all servers list directly, one after another, but for names and URIs. */
export function listChecks(under: Under): readonly Check[] {
  return KINDS.flatMap((kind) =>
    [false, true].map((isMute) =>
      check(under, `lists, ${kind}${isMute ? ", nothing to ask it" : ""}: those of all servers`, async (agents) => {
        const through = await agents.through({ kind, isMute });
        const apps = Object.keys(under.servers) as App[];
        for (const [method, member, capability] of LISTS) {
          const direct = await Promise.all(
            apps.map(async (app) => {
              const agent = await agents.direct(app, { kind, isMute: isMute || !canBeAsked(app, kind) });
              return agent.getServerCapabilities()?.[capability] === undefined
                ? []
                : entries(app, agent, method, member);
            }),
          );
          const listed = (await through[method]())[member];
          deepStrictEqual(
            byName(kindred(kind, listed as readonly Json[])),
            byName(kindred(kind, direct.flat())),
            member,
          );
        }
      }),
    ),
  );
}

async function entries(app: App, agent: Agent, method: Method, member: string): Promise<readonly Json[]> {
  const said = await agent[method]();
  return asAgentsSee(app, { [member]: said[member] })[member] as readonly Json[];
}

/** Servers of the field list their own in an order that depends on what was asked before. */
function byName(entries: readonly Json[]): Json {
  return Object.fromEntries(entries.map((entry) => [String(entry.uri ?? entry.uriTemplate ?? entry.name), entry]));
}
