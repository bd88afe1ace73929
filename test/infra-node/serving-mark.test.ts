import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { markServing } from "../../infra/node/store-folder/serving-mark.ts";

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-serving-"));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  rmSync(folder, { recursive: true });
});

test("a server is alone unless another process serves, also when that is not the first", async () => {
  expect((await serving()).alone).toBe(true);
  const second = await serving();
  expect(second.alone).toBe(false);
  await kill(children[0]);
  expect((await serving()).alone).toBe(false);
});

test("what a killed server leaves behind means nothing", async () => {
  await kill((await serving()).child);
  expect(readdirSync(folder)).toEqual(["serving.lock"]);
  expect((await serving()).alone).toBe(true);
});

test("two servers of one process know of each other, and one that was released is gone", () => {
  const first = markServing(folder);
  const second = markServing(folder);
  expect([first.alone, second.alone]).toEqual([true, false]);
  first.release();
  second.release();
  const third = markServing(folder);
  expect(third.alone).toBe(true);
  third.release();
});

test("the file is this user's only and stays empty", () => {
  markServing(folder).release();
  const { mode, size } = statSync(join(folder, "serving.lock"));
  expect([mode & 0o777, size]).toEqual([0o600, 0]);
});

async function serving(): Promise<{ readonly alone: boolean; readonly child: ChildProcess }> {
  const script = join(import.meta.dirname, "mark-serving.ts");
  const child = spawn(process.execPath, [script, folder], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const [line] = await once(child.stdout, "data");
  return { alone: String(line).trim() === "true", child };
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
