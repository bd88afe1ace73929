import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorkplace } from "./countersign.ts";

/** Milliseconds after which a start that does not end by itself has failed. */
const PATIENCE = 20_000;
const CLI = join(import.meta.dirname, "../../infra/node/cli.ts");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-store-path-"));
  writeFileSync(join(folder, "file"), "");
  mkdirSync(join(folder, "taken", "countersign.db"), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["below /proc", () => "/proc/countersign/store", /no such file or folder/],
  ["that is a file", () => join(folder, "file"), /there is a file of that name/],
  ["below a file", () => join(folder, "file", "store"), /a part of the path is not a folder/],
  ["that is a device", () => "/dev/null", /there is a file of that name/],
  ["with a name that is too long", () => join(folder, "a".repeat(300)), /too long/],
  ["whose database is a folder", () => join(folder, "taken"), /it is no file/],
])("a store path %s ends the start at once, in one line that says why", async (_, path, reason) => {
  await expectRefusal(path(), reason);
});

test("a full disk ends the start at once, in one line", async () => {
  await expectRefusal(join(folder, "full"), /disk/, "ulimit -f 16;");
});

async function expectRefusal(store: string, reason: RegExp, limits = ""): Promise<void> {
  const at = await createWorkplace({ store });
  const child = spawn("sh", ["-c", `${limits} exec "$0" "$@"`, process.execPath, CLI, "-config", at.config], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE,
    killSignal: "SIGKILL",
  });
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  at.remove();
  expect([code, signal, stdout]).toEqual([3, null, ""]);
  expect(stderr).toMatch(/^[^\n]+ ERROR the server cannot start [^\n]+\n[^\n]+\n$/);
  expect(stderr).toContain(store);
  expect(stderr).toMatch(reason);
}
