import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StartupError } from "../../infra/node/startup-error.ts";
import { lockServing } from "../../infra/node/store-folder/serving-lock.ts";

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-serving-"));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  rmSync(folder, { recursive: true });
});

test("54. a store that another process serves is refused, with what to do, and is free when that process was killed", async () => {
  const first = await serving();
  expect(() => lockServing(folder)).toThrow(StartupError);
  expect(() => lockServing(folder)).toThrow(
    /^Another server serves from the store in .*\. Stop that server first, or /,
  );
  await kill(first);
  expect(readdirSync(folder)).toEqual(["serving.lock"]);
  const second = await serving();
  await kill(second);
  lockServing(folder).release();
});

test("54. two servers of one process exclude each other as well, until the first is released", () => {
  const first = lockServing(folder);
  expect(() => lockServing(folder)).toThrow(StartupError);
  first.release();
  lockServing(folder).release();
});

test("the file is this user's only and stays empty", () => {
  lockServing(folder).release();
  const { mode, size } = statSync(join(folder, "serving.lock"));
  expect([mode & 0o777, size]).toEqual([0o600, 0]);
});

async function serving(): Promise<ChildProcess> {
  const script = join(import.meta.dirname, "lock-serving.ts");
  const child = spawn(process.execPath, [script, folder], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  await once(child.stdout, "data");
  return child;
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
