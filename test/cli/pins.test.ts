import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import type { PinsKey } from "../../lib/stores/pins.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { toolVersion } from "../../lib/upstream/catalog/tool-version.ts";
import { createWorkplace, type Workplace } from "./countersign.ts";

const [BEFORE, NOW] = ["Pays.", "Pays twice."].map((description) => toolVersion("pay", { name: "pay", description }));

let at: Workplace;
beforeAll(async () => {
  at = await createWorkplace();
  const app = '  - {type: mcpProxy, name: ledger, pins: {}, upstream: {stream: {url: "https://ledger.example/mcp"}}}';
  appendFileSync(at.config, `\n${app}\n`);
  const made = await at.here("client", "create", "-name", "CI", "-keyOut", `${at.folder}/key.pem`);
  expect([made.code, made.stderr]).toEqual([0, ""]);
  await withStore(async ({ directory, pins }) => {
    const { organizationId = "" } = (await directory.firstOrganization()) ?? {};
    const key: PinsKey = { organizationId, app: "ledger" };
    const [before, now] = [BEFORE?.digest ?? "", NOW?.digest ?? ""];
    const tool = {
      tool: "pay",
      approved: [{ digest: before, at: 1, bytes: 9 }],
      held: [{ digest: now, at: 2, bytes: 9 }],
    };
    await pins.keepDefinitions(key, [{ digest: now, text: JSON.stringify(NOW?.definition) }]);
    await pins.replacePins(key, { revision: 1, firstAt: 1, tools: [{ ...tool, changes: 1 }] }, []);
  });
}, 60_000);
afterAll(() => at?.remove());

test("74. held tools are listed, shown and approved by their digest, once", async () => {
  const of = ["-app", "ledger", "-digest", NOW?.digest ?? ""];
  const held = [{ tool: "pay", digest: NOW?.digest, at: "1970-01-01T00:00:00.002Z", why: "changed" }];
  const listed = await at.countersign("pins", "list");
  expect(JSON.parse(listed.stdout)).toMatchObject({ items: [{ app: "ledger", first: "trust", tools: 1, held }] });
  const shown = JSON.parse((await at.here("pins", "show", ...of)).stdout);
  expect(JSON.parse(shown.definition)).toEqual(NOW?.definition);
  expect(shown.approved).toEqual([{ digest: BEFORE?.digest, at: "1970-01-01T00:00:00.001Z" }]);
  const approved = await at.countersign("pins", "approve", ...of);
  expect([approved.code, JSON.parse(approved.stdout).held]).toEqual([0, []]);
  const again = await at.here("pins", "approve", ...of);
  expect(again).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("not held. Held now: none") });
  expect(await at.here("pins", "refuse", "-app", "ledger")).toMatchObject({ code: 2, stdout: "" });
  const forgotten = await at.here("pins", "forget", "-app", "ledger");
  expect(JSON.parse(forgotten.stdout)).toMatchObject({ app: "ledger", tools: 0 });
});

async function withStore(work: (stores: Stores) => Promise<void>): Promise<void> {
  const executor = openSqlite(at.store);
  try {
    await work(sqlStores(executor, Date));
  } finally {
    executor.close();
  }
}
