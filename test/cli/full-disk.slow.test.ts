import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasCode } from "../../infra/node/files/file-error.ts";
import { createWorkplace, type Workplace } from "./countersign.ts";

const volume = mkdtempSync(join(tmpdir(), "countersign-volume-"));
/** A file system of one's own takes root. Without it nothing is shown here; `infra-node/keeping.test.ts` needs none. */
const CAN_MOUNT =
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", volume]).status === 0 &&
  spawnSync("umount", [volume]).status === 0;

afterAll(() => rmSync(volume, { recursive: true }));

describe("41. on a disk that is full", () => {
  let at: Workplace;
  beforeEach(async () => {
    if (!CAN_MOUNT) return;
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=12m", "none", volume]);
    at = await createWorkplace({ store: join(volume, "store") });
    const server = await at.serve();
    await expect.poll(() => existsSync(reserve())).toBe(true);
    await expect.poll(async () => (await fetch(`${at.url}/status`)).status).toBe(200);
    await server.stop();
  });
  afterEach(() => {
    if (!CAN_MOUNT) return;
    at.remove();
    execFileSync("umount", ["-l", volume]);
  });

  test("a server starts with the reserve: it reads, health names the store, and it serves by itself when there is room", async () => {
    if (!CAN_MOUNT) return;
    fill();
    const server = await at.serve();
    const health = await fetch(`${at.url}/status`);
    expect([health.status, await health.json()]).toEqual([
      503,
      { status: "down", components: [{ name: "store", status: "down" }] },
    ]);
    expect((await fetch(`${at.url}/.well-known/openid-configuration`)).status).toBe(200);
    await server.kill();
    const next = await at.serve();
    expect((await fetch(`${at.url}/status`)).status).toBe(503);
    rmSync(join(volume, "filling"));
    await expect.poll(async () => (await fetch(`${at.url}/status`)).status, { timeout: 15_000 }).toBe(200);
    expect(existsSync(reserve())).toBe(true);
    await next.stop();
  });

  test("and without the reserve a server that cannot even open its store says why, in one line, and starts when there is room", async () => {
    if (!CAN_MOUNT) return;
    rmSync(reserve());
    fill();
    const { code, stderr } = await at.countersign();
    expect(code).toBe(3);
    const [entry, line, ...rest] = stderr.trimEnd().split("\n");
    expect(rest).toEqual([]);
    expect(entry).toContain("the server cannot start");
    expect(line).toMatch(/^Cannot open the store in \S+: .*disk/);
    rmSync(join(volume, "filling"));
    await (await at.serve()).stop();
  });

  const reserve = () => join(at.store, "countersign.reserve");
});

/** Takes all of the room that is left. */
function fill(): void {
  const descriptor = openSync(join(volume, "filling"), "w");
  const bytes = Buffer.alloc(4096);
  try {
    for (;;) writeSync(descriptor, bytes);
  } catch (error) {
    if (!hasCode(error, "ENOSPC")) throw error;
  } finally {
    closeSync(descriptor);
  }
}
