import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, test } from "vitest";
import { type Publisher, publisher } from "../deployment/bundles.ts";
import { eventually } from "../support/eventually.ts";
import { createWorkplace, type ServedWorkplace, type Workplace } from "./countersign.ts";

const PRELOAD = join(import.meta.dirname, "../support/kill-at-step.ts");
/** More than there are: a loop that comes so far has met no process that went on to its end. */
const MOST_STEPS = 60;

let ours: Publisher;
beforeAll(async () => {
  ours = await publisher();
});

interface Killed {
  readonly first: Workplace;
  readonly at: (name: string) => string;
  readonly environment: Readonly<Record<string, string>>;
  /** Publishes the file with this version; with a step, in a process that ends itself there. */
  publish(
    version: string,
    to: string,
    step?: string,
  ): Promise<{ readonly code: number | null; readonly stderr: string }>;
  /** The server, which ends itself at a step once the file `from` is there. */
  serve(step?: string): Promise<ServedWorkplace>;
}

async function workplace(source: (folder: string) => string): Promise<Killed> {
  const first = await createWorkplace();
  const at = (name: string) => join(first.folder, name);
  writeFileSync(at("key.pem"), ours.privatePem);
  const environment = {
    SVC_CONFIG_SOURCE: source(first.folder),
    SVC_CONFIG_KEYS: ours.publicPem,
    SVC_CONFIG_DEPLOYMENT: "production",
    SVC_CONFIG_CACHE: at("cache.json"),
    SVC_CONFIG_FALLBACK: "builtin",
  };
  const killing = (step: string | undefined, from: string): Readonly<Record<string, string>> =>
    step === undefined ? {} : { NODE_OPTIONS: `--import=${PRELOAD}`, KILL_AT: step, KILL_FROM: from };
  return {
    first,
    at,
    environment,
    publish: (version, to, step) => {
      const yaml = readFileSync(first.config, "utf8").replace(/version: ".*"/, `version: "${version}"`);
      writeFileSync(at("next.yaml"), yaml);
      const named = ["-key", at("key.pem"), "-deployment", "production", "-to", to, "-config", at("next.yaml")];
      return first.countersignWith(killing(step, at("key.pem")), "publish", ...named);
    },
    serve: async (step) => {
      const variables = { ...environment, ...killing(step, at("from")) };
      const one = await createWorkplace({ url: first.url, store: first.store, environment: variables });
      return one.serve();
    },
  };
}

const inUse = ({ log }: ServedWorkplace): string | undefined =>
  log.map((line) => /configVersion=(\S+)/.exec(line)?.[1]).findLast((found) => found !== undefined);
const until = (server: ServedWorkplace, version: string) =>
  eventually(
    async () => inUse(server),
    (found) => found === version,
  );

/** Revisions that the audit log says were taken over, as often as it does. */
function activated(store: string): readonly string[] {
  const database = new DatabaseSync(join(store, "countersign.db"), { readOnly: true });
  try {
    const rows = database.prepare("SELECT record FROM audit_events WHERE type = 'config.activated' ORDER BY id").all();
    return rows.map(({ record }) =>
      String((JSON.parse(String(record)) as { details: { deploymentRevision: string } }).details.deploymentRevision),
    );
  } finally {
    database.close();
  }
}

describe("81. kill -9", () => {
  test.each([["store"], ["file"]])(
    "81. at each step of taking over (%s) leaves the highest revision in use, with one record",
    async (kind) => {
      const it = await workplace((folder) => `file://${folder}/bundle.json`);
      expect((await it.publish("r1", it.at("bundle.json"))).stderr).toBe("");
      let revision = 1;
      let kills = 0;
      for (let isOver = false; !isOver; revision++) {
        expect(kills).toBeLessThan(MOST_STEPS);
        const server = await it.serve(`${kind} ${kills + 1}`);
        await until(server, `r${revision}`);
        writeFileSync(it.at("from"), "");
        expect((await it.publish(`r${revision + 1}`, it.at("bundle.json"))).code).toBe(0);
        isOver = await Promise.race([
          server.ended.then(() => false),
          until(server, `r${revision + 1}`).then(() => true),
        ]);
        rmSync(it.at("from"));
        if (isOver) await server.stop();
        else kills++;
        const after = await it.serve();
        await until(after, `r${revision + 1}`);
        expect(after.log.join("\n")).not.toMatch(/not taken over|not available/);
        await after.stop();
      }
      expect(kills).toBeGreaterThan(1);
      const revisions = Array.from({ length: revision }, (_, index) => String(index + 1));
      expect(activated(it.first.store)).toEqual(revisions);
      it.first.remove();
    },
    180_000,
  );

  test("81. at each step of publishing leaves the revision before or the new one, and the next publication works", async () => {
    const it = await workplace(() => "store:");
    const server = await it.serve();
    expect((await it.publish("r1", "store:")).stderr).toBe("");
    await until(server, "r1");
    let kills = 0;
    for (let isOver = false; !isOver; ) {
      expect(kills).toBeLessThan(MOST_STEPS);
      const { code, stderr } = await it.publish(`killed-${kills}`, "store:", `store ${kills + 1}`);
      isOver = code === 0;
      if (!isOver) expect([code, stderr]).toEqual([null, ""]);
      expect((await it.publish(`next-${kills}`, "store:")).code).toBe(0);
      await until(server, `next-${kills}`);
      if (!isOver) kills++;
    }
    expect(kills).toBeGreaterThan(1);
    expect(server.log.join("\n")).not.toMatch(/not taken over/);
    await server.stop();
    const again = await it.serve();
    expect(inUse(again)).toBe(`next-${kills}`);
    await again.stop();
    const revisions = activated(it.first.store).map(Number);
    expect(revisions).toEqual([...new Set(revisions)].sort((one, other) => one - other));
    it.first.remove();
  }, 180_000);
});
