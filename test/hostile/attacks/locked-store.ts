import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import { issueToken, NO_UPSTREAM, requestToken } from "../../behaviour/fixture.ts";
import type { Attack, Figure } from "../attack.ts";
import { asTenant, clientOf, isActive, tenants } from "../tenants.ts";

const ACKNOWLEDGED = 20;
/** A read waits for no lock. Milliseconds, on a busy machine. */
const READ_WITHIN = 1_000;
/** Milliseconds after which service has to resume when the lock is gone. */
const RESUMED_WITHIN = 10_000;

/** Another process holds the store's lock, for longer than anybody waits: what writes is put off, reads go on, and nothing is lost. */
export const lockedStore: Attack = {
  name: "locked-store",
  checklist: 41,
  runtimes: ["node"],
  async play({ start, atTheEnd, seconds }) {
    const folder = mkdtempSync(join(tmpdir(), "countersign-locked-"));
    atTheEnd(() => rmSync(folder, { recursive: true }));
    const configuration = behaviourConfiguration.replaceAll("{{ env.STORE_PATH }}", folder);
    const region = await start({ configuration, variables: { UPSTREAM_URL: NO_UPSTREAM } });
    const { first: victim } = await tenants(region);
    const client = await clientOf(victim);
    const acknowledged = await Promise.all(Array.from({ length: ACKNOWLEDGED }, () => issueToken(region, client)));

    const release = await lock(join(folder, "countersign.db"));
    atTheEnd(release);
    const end = performance.now() + seconds * 1_000;
    let [putOff, others, slowest] = [0, 0, 0];
    do {
      const writing = Promise.all([
        requestToken(region, client),
        asTenant(victim, "POST", "/api-clients", { name: "x" }),
      ]);
      const begun = performance.now();
      const read = await asTenant(victim, "GET", "/api-clients");
      slowest = Math.max(slowest, performance.now() - begun);
      for (const { status, headers } of await writing) {
        if (status === 503 && headers.has("retry-after")) putOff += 1;
        else others += 1;
      }
      if (read.status !== 200) others += 1;
    } while (performance.now() < end);
    const health = await fetch(`${region.url}/status`);
    const named = health.status === 503 && (await health.text()).includes('"store"');
    await release();
    const released = performance.now();
    while ((await fetch(`${region.url}/status`)).status !== 200 && performance.now() - released < 3 * RESUMED_WITHIN) {
      await requestToken(region, client);
    }
    await issueToken(region, client);
    const resumed = performance.now() - released;
    const kept = await Promise.all(acknowledged.map((token) => isActive(region, token)));
    const figures: readonly Figure[] = [
      { name: "requests put off by 503 with Retry-After", value: putOff, unit: "" },
      { name: "other answers to what writes, and reads that failed", value: others, limit: 0, unit: "" },
      { name: "the slowest read", value: slowest, limit: READ_WITHIN, unit: "ms" },
      { name: "not so: health names the store", value: Number(!named), limit: 0, unit: "" },
      { name: "from the end of the lock to health and a token", value: resumed, limit: RESUMED_WITHIN, unit: "ms" },
      { name: "acknowledged tokens that are lost", value: kept.filter((is) => !is).length, limit: 0, unit: "" },
    ];
    return figures;
  },
};

/** In another process, as connections of one process would not wait for each other in the same way. */
async function lock(file: string): Promise<() => Promise<void>> {
  const script = `
    const { DatabaseSync } = require("node:sqlite");
    const connection = new DatabaseSync(${JSON.stringify(file)}, { timeout: 5000 });
    connection.exec("BEGIN EXCLUSIVE");
    process.stdout.write("held");
    process.stdin.resume().once("end", () => process.exit());`;
  const holder = spawn(process.execPath, ["--input-type=commonjs", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(holder, "exit");
  await once(holder.stdout, "data");
  return async () => {
    holder.stdin.end();
    await exited;
  };
}
