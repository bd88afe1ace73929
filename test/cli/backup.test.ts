import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorkplace, type Workplace } from "./countersign.ts";
import { createClient, type Issued, isActive, type LoadClient, present, sign, startLoad } from "./token-load.ts";

let at: Workplace;
let restored: Workplace;
let client: LoadClient;
let revoked: LoadClient;
let file: string;
let before: readonly Issued[];
let summary: Record<string, unknown>;
let server: { stop(): Promise<void> } | undefined;

/** A backup of a busy server, and a server that was started on it in place of the first. */
beforeAll(async () => {
  at = await createWorkplace();
  file = join(at.folder, "backup.db");
  server = await at.serve();
  client = await createClient(at, "busy");
  revoked = await createClient(at, "revoked", client);
  const { clientId, keyPairId } = revoked;
  expect((await at.countersign("client", "revoke-key", "-client", clientId, "-keyPair", keyPairId)).code).toBe(0);

  const load = startLoad(at, client);
  await load.more(60);
  before = [...load.issued];
  const run = await at.countersign("backup", "-out", file);
  expect(run).toMatchObject({ code: 0, stderr: "" });
  summary = JSON.parse(run.stdout);
  await load.more(20);
  await load.stop();
  await server.stop();

  restored = await createWorkplace({ url: at.url });
  restore(file, restored);
  server = await restored.serve();
});
afterAll(async () => {
  await server?.stop();
  at?.remove();
  restored?.remove();
});

describe("a backup that was taken while the server issued tokens", () => {
  test("is one file of mode 0600 with a summary that fits, and nothing is left beside it", () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(at.folder).filter((name) => name.startsWith("backup"))).toEqual(["backup.db"]);
    expect(summary).toEqual({
      file,
      bytes: statSync(file).size,
      sha256: createHash("sha256").update(readFileSync(file)).digest("hex"),
      apiClients: 1,
      tokens: expect.any(Number),
      auditEvents: expect.any(Number),
      keptFiles: ["client-id.key", "soid"],
    });
    expect(summary.tokens).toBeGreaterThanOrEqual(before.length);
  });

  test("is of one moment: each token in it has its one audit record, and no other has one", () => {
    const { tokens, issues } = contents(file);
    expect(tokens.length).toBe(summary.tokens);
    expect(issues.toSorted()).toEqual(tokens.toSorted());
  });

  test("holds every token that was acknowledged before it began", async () => {
    const active = await Promise.all(before.map(({ token }) => isActive(restored, token)));
    expect(active).toEqual(before.map(() => true));
  });

  test("holds every jti that was used: no assertion is accepted again", async () => {
    for (const { assertion } of before) {
      const response = await present(restored, assertion);
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: "invalid_client", error_description: "replayed JWT" },
      ]);
    }
  });

  test("knows the client ids and keys of the first server, and a revoked key stays revoked", async () => {
    expect((await present(restored, await sign(restored, client))).status).toBe(200);
    const response = await present(restored, await sign(restored, revoked));
    expect([response.status, await response.json()]).toMatchObject([400, { error: "invalid_client" }]);
  });

  test("gives the folder its kept files, readable by this user only, and keeps none of them in the database", async () => {
    for (const name of ["client-id.key", "soid"]) {
      expect(readFileSync(join(restored.store, name))).toEqual(readFileSync(join(at.store, name)));
      expect(statSync(join(restored.store, name)).mode & 0o777).toBe(0o600);
    }
    await server?.stop();
    const secret = readFileSync(join(at.store, "client-id.key"));
    expect(readFileSync(file).includes(secret)).toBe(true);
    const holding = readdirSync(restored.store).filter((name) =>
      readFileSync(join(restored.store, name)).includes(secret),
    );
    expect(holding).toEqual(["client-id.key"]);
    server = await restored.serve();
  });

  test("can be backed up again once it is a store", async () => {
    const again = join(restored.folder, "again.db");
    const run = await restored.countersign("backup", "-out", again);
    expect(JSON.parse(run.stdout)).toMatchObject({ apiClients: 1, keptFiles: ["client-id.key", "soid"] });
  });
});

function restore(backup: string, to: Workplace): void {
  mkdirSync(to.store);
  copyFileSync(backup, join(to.store, "countersign.db"));
}

/** Ids of the tokens in a backup, and of those that its audit log says were issued. */
function contents(backup: string): { readonly tokens: readonly string[]; readonly issues: readonly string[] } {
  const connection = new DatabaseSync(backup, { readOnly: true });
  const texts = (sql: string) =>
    connection
      .prepare(sql)
      .all()
      .map(({ id }) => String(id));
  const tokens = texts("SELECT record ->> '$.tokenId' AS id FROM tokens");
  const issues = texts("SELECT record ->> '$.details.tokenId' AS id FROM audit_events WHERE type = 'token.issued'");
  connection.close();
  return { tokens, issues };
}
