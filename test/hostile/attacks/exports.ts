import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { nodeSqlDatabase } from "../../../infra/node/sqlite/database.ts";
import { ulid } from "../../../lib/kernel/ids.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import { appendAuditEvent } from "../../../lib/stores/sql/audit-log.ts";
import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import { NO_UPSTREAM } from "../../behaviour/fixture.ts";
import type { RunningRegion } from "../../support/runtime.ts";
import type { Attack, Figure, Tenant } from "../attack.ts";
import { type FloodRequest, whileFlooded } from "../flood.ts";
import { clientOf, tenants } from "../tenants.ts";
import { slowdown, victimLatency } from "../victim.ts";

const RECORDS = 62_500;

/** One owner exports the audit log and looks at the overview, again and again: others are served as before. */
export const exports: Attack = {
  name: "exports",
  checklist: 43,
  runtimes: ["node"],
  async play({ start, seconds }) {
    const region = await start({ configuration: behaviourConfiguration, variables: { UPSTREAM_URL: NO_UPSTREAM } });
    const { first: attacker, second: victim } = await tenants(region);
    fill(region, attacker);
    const good = await clientOf(victim);
    await victimLatency(region, good, 1);
    const quiet = await victimLatency(region, good, seconds);
    const figures: Figure[] = [];
    const floods = [
      { name: "4 exports as CSV", connections: 4, requests: [read(attacker, "/audit-events", "text/csv")] },
      { name: "8 overviews", connections: 8, requests: [read(attacker, "/overview", "application/json")] },
      {
        name: "8 searches that find nothing",
        connections: 8,
        requests: [read(attacker, "/audit-events?tool=nothing", "application/json")],
      },
    ];
    for (const { name, ...flood } of floods) {
      const { measured, answers } = await whileFlooded(flood, () => victimLatency(region, good, seconds));
      figures.push(...slowdown(name, quiet, measured));
      figures.push({ name: `${name}: answered`, value: answers[200] ?? 0, unit: "" });
      figures.push({ name: `${name}: refused for now`, value: answers[429] ?? 0, unit: "" });
    }
    return figures;
  },
};

function read({ region, cookie, organizationId }: Tenant, path: string, accept: string): FloodRequest {
  const headers = { cookie, accept, "countersign-organization": organizationId };
  return { method: "GET", url: `${region.url}/api/v1${path}`, headers };
}

/** Records of the last hour. Written beside the server: making as many calls takes longer than the attack. */
function fill({ pid }: RunningRegion, { organizationId }: Tenant): void {
  const [, folder = ""] = /(?:^|\0)STORE_PATH=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, "latin1")) ?? [];
  const connection = new DatabaseSync(join(folder, "countersign.db"));
  const db = nodeSqlDatabase(connection);
  const now = Date.now();
  db.transaction(() => {
    for (let index = 0; index < RECORDS; index++) {
      const time = now - RECORDS * 50 + index * 50;
      const id = ulid(time, webCryptoRandom);
      const tool = `notes_tool${index % 20}`;
      appendAuditEvent(db, { id, time, type: "tool.invoked", outcome: "success", organizationId, tool, durationMs: 5 });
    }
  });
  connection.close();
}
