import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import { issueToken } from "../../behaviour/fixture.ts";
import type { RunningRegion } from "../../support/runtime.ts";
import { startUpstream } from "../../support/upstream.ts";
import type { Attack, Figure } from "../attack.ts";
import { type Flood, type FloodRequest, whileFlooded } from "../flood.ts";
import { clientOf, tenants } from "../tenants.ts";
import { slowdown, victimLatency } from "../victim.ts";

/** Calls of one tool with as many arguments as a message can carry, and with as many as are read. */
const ARGUMENTS = [95_000, 19_000];

/** One caller sends calls that take long to read and to check: others are served as before. */
export const starvation: Attack = {
  name: "starvation",
  checklist: 43,
  runtimes: ["node"],
  async play({ start, atTheEnd, seconds }) {
    const upstream = await startUpstream();
    atTheEnd(() => upstream.stop());
    const region = await start({ configuration: behaviourConfiguration, variables: { UPSTREAM_URL: upstream.url } });
    const { first: attacker, second: victim } = await tenants(region);
    const bad = await clientOf(attacker, { resources: [`${region.url}/mcp`] });
    const good = await clientOf(victim);
    const token = await issueToken(region, bad, { resource: `${region.url}/mcp` });
    await victimLatency(region, good, 1);
    const figures: Figure[] = [];
    for (const connections of [4, 16]) {
      for (const count of ARGUMENTS) {
        const quiet = await victimLatency(region, good, seconds);
        const flood: Flood = { connections, requests: [callWith(region, token, count)] };
        const { measured, answers } = await whileFlooded(flood, () => victimLatency(region, good, seconds));
        const name = `${connections} connections with ${count} arguments`;
        figures.push(...slowdown(name, quiet, measured));
        const answered = Object.values(answers).reduce((sum, one) => sum + one, 0);
        figures.push({ name: `${name}: calls that were answered`, value: answered, unit: "" });
      }
    }
    return figures;
  },
};

/** A call of a tool with arguments that it does not have. */
export function callWith(region: RunningRegion, token: string, count: number): FloodRequest {
  const given = Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 0]));
  return {
    method: "POST",
    url: `${region.url}/mcp`,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "upstream_getNote", arguments: given },
    }),
  };
}
