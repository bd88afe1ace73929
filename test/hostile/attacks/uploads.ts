import { setTimeout as pause } from "node:timers/promises";
import { residentMemory } from "../../../bench/support/process-usage.ts";
import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import { issueToken } from "../../behaviour/fixture.ts";
import { startUpstream } from "../../support/upstream.ts";
import type { Attack } from "../attack.ts";
import { whileFlooded } from "../flood.ts";
import { clientOf, tenants } from "../tenants.ts";

const UPLOADS = 250;
const MIB = 1024 * 1024;
/** What memory may grow by, MiB. What the allocator keeps for the next ones stays; it is waited for so long, seconds. */
const GROWTH = 150;
const KEPT = 50;
const GIVEN_BACK_WITHIN = 10;

/** One client sends 250 messages of 4 MiB at once. */
export const uploads: Attack = {
  name: "uploads",
  checklist: 48,
  runtimes: ["node"],
  async play({ start, atTheEnd, seconds }) {
    const upstream = await startUpstream();
    atTheEnd(() => upstream.stop());
    const region = await start({ configuration: behaviourConfiguration, variables: { UPSTREAM_URL: upstream.url } });
    const { first: attacker } = await tenants(region);
    const resource = `${region.url}/mcp`;
    const token = await issueToken(region, await clientOf(attacker, { resources: [resource] }), { resource });
    const title = "x".repeat(4 * MIB - 500);
    const params = { name: "upstream_createNote", arguments: { title } };
    const request = {
      method: "POST",
      url: resource,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-06-18",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    };
    const memory = () => residentMemory(region.pid ?? 0) / MIB;
    const before = memory();
    const { measured: peak, answers } = await whileFlooded({ connections: UPLOADS, requests: [request] }, async () => {
      let most = 0;
      for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(50)) most = Math.max(most, memory());
      return most;
    });
    for (const end = Date.now() + GIVEN_BACK_WITHIN * 1000; memory() - before > KEPT && Date.now() < end; )
      await pause(100);
    return [
      { name: "growth of memory at its most", value: peak - before, limit: GROWTH, unit: "MiB" },
      { name: "growth that stays", value: memory() - before, unit: "MiB" },
      { name: "messages that were answered", value: answers[200] ?? 0, unit: "" },
      { name: "messages that were refused for now", value: answers[503] ?? 0, unit: "" },
      { name: "connections that broke", value: answers[0] ?? 0, limit: 0, unit: "" },
    ];
  },
};
