import { setTimeout as pause } from "node:timers/promises";
import { residentMemory } from "../../../bench/support/process-usage.ts";
import { behaviourConfiguration, RESOURCE_SERVER } from "../../behaviour/configuration.ts";
import { basic, expectJson, issueToken, postForm, signAssertion, tokenParameters } from "../../behaviour/fixture.ts";
import type { RunningRegion } from "../../support/runtime.ts";
import { startUpstream } from "../../support/upstream.ts";
import type { Attack, Figure, TenantClient } from "../attack.ts";
import { type Flood, type FloodRequest, whileFlooded } from "../flood.ts";
import { clientOf, tenants } from "../tenants.ts";
import { slowdown, victimLatency } from "../victim.ts";

const CONNECTIONS = 8;
/** Tokens that the victim was given and that have to be good when all is over. */
const ACKNOWLEDGED = 20;
const MIB = 1024 * 1024;
/** What may stay after a while, and for how long memory may take to be given back, seconds. */
const GROWTH = 150;
const GIVING_BACK = 60;

/** Everything at once: the process lives, its memory comes back, and nothing that was acknowledged is lost. */
export const mixedAbuse: Attack = {
  name: "mixed-abuse",
  checklist: 43,
  runtimes: ["node"],
  async play({ start, atTheEnd, seconds }) {
    const upstream = await startUpstream();
    atTheEnd(() => upstream.stop());
    const region = await start({ configuration: behaviourConfiguration, variables: { UPSTREAM_URL: upstream.url } });
    const { attacker, victim } = await tenants(region);
    const bad = await clientOf(attacker, { resources: [`${region.url}/mcp`] });
    const good = await clientOf(victim);
    const acknowledged = await Promise.all(Array.from({ length: ACKNOWLEDGED }, () => issueToken(region, good)));
    await victimLatency(region, good, 1);
    const quiet = await victimLatency(region, good, seconds);
    const before = memoryOf(region);
    const { measured, answers } = await whileFlooded(await abuse(region, bad), () =>
      victimLatency(region, good, seconds),
    );
    const peak = memoryOf(region);
    const kept = await Promise.all(acknowledged.map((token) => isActive(region, token)));
    return [
      ...slowdown(`${CONNECTIONS} connections with everything`, quiet, measured),
      { name: "acknowledged tokens that are lost", value: kept.filter((is) => !is).length, limit: 0, unit: "" },
      { name: "connections that broke", value: answers[0] ?? 0, unit: "" },
      { name: "answers of 500", value: answers[500] ?? 0, limit: 0, unit: "" },
      { name: "memory at its end, above that before", value: (peak - before) / MIB, unit: "MiB" },
      await givenBack(region, before, seconds),
    ];
  },
};

async function abuse(region: RunningRegion, client: TenantClient): Promise<Flood> {
  const token = await issueToken(region, client, { resource: `${region.url}/mcp` });
  const unknown = Object.fromEntries(Array.from({ length: 95_000 }, (_, index) => [`a${index}`, 0]));
  const foreign = await signAssertion(client, region, { claims: { aud: "https://elsewhere.example" } });
  const call = (name: string, given: unknown): FloodRequest => ({
    method: "POST",
    url: `${region.url}/mcp`,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } }),
  });
  const form = (body: string): FloodRequest => ({
    method: "POST",
    url: `${region.url}/oauth2/token`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body,
  });
  return {
    connections: CONNECTIONS,
    requests: [
      call("upstream_getNote", unknown),
      form(new URLSearchParams(tokenParameters(foreign)).toString()),
      call("upstream_nothing", {}),
      call("upstream_createNote", { title: "x".repeat(900_000) }),
      form(`grant_type=${"&a=b".repeat(20_000)}`),
      call("upstream_getNote", { noteId: [[[[[[{}]]]]]] }),
      { method: "GET", url: `${region.url}/nowhere?${"q=1&".repeat(1_000)}`, headers: {} },
      { method: "GET", url: `${region.url}/mcp`, headers: { authorization: "Bearer nothing" } },
    ],
  };
}

async function isActive(region: RunningRegion, token: string): Promise<boolean> {
  const answer = await postForm(`${region.url}/oauth2/introspect`, { token }, basic(RESOURCE_SERVER));
  return (await expectJson<{ active: boolean }>(answer, 200)).active;
}

function memoryOf({ pid }: RunningRegion): number {
  if (pid === undefined) throw new Error("The server has no process of its own.");
  return residentMemory(pid);
}

/** How much stays of the memory that the attack took. A short attack waits for as long as it took. */
async function givenBack(region: RunningRegion, before: number, seconds: number): Promise<Figure> {
  const end = Date.now() + Math.min(GIVING_BACK, seconds * 2) * 1000;
  const growth = () => (memoryOf(region) - before) / MIB;
  while (growth() > GROWTH && Date.now() < end) await pause(200);
  return { name: "memory that is not given back", value: growth(), limit: GROWTH, unit: "MiB" };
}
