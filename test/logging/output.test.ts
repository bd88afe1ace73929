import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { createWorkplace } from "../cli/countersign.ts";

const WRITER = join(import.meta.dirname, "output-writer.ts");

function write(...parameters: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [WRITER, ...parameters]);
}

/** Resolves when the process has written its lines, whether anybody read them or not. */
async function written({ stdout }: ChildProcessWithoutNullStreams): Promise<void> {
  await once(stdout, "data");
}

/** The numbers of the lines that arrived whole. */
function numbers(log: string): readonly number[] {
  return [...log.matchAll(/^line (\d+) x{90}$/gm)].map(([, number]) => Number(number));
}

describe("nothing that was written is lost", () => {
  test.each([
    ["at the end", "return", 0],
    ["when the process exits in the same turn", "exit", 3],
    ["when it crashes", "throw", 1],
  ])("%s", async (_, end, expected) => {
    const child = write(end, "2000");
    const exited = once(child, "exit");
    child.stdin.end();
    const log = await text(child.stderr);
    expect((await exited)[0]).toBe(expected);
    expect([...numbers(log)].sort((a, b) => a - b)).toEqual(Array.from({ length: 2_000 }, (_, index) => index));
    expect(log).toContain("the last line");
  });

  test("when the reader begins late", async () => {
    const child = write("return", "20000");
    const exited = once(child, "exit");
    child.stdin.end();
    await written(child);
    const log = await text(child.stderr);
    await exited;
    expect(new Set(numbers(log)).size).toBe(20_000);
  });
});

describe("who reads the log does not stop the process", () => {
  test("a reader that stands still loses lines, and is told how many", async () => {
    const child = write("wait", "20000", "100000");
    const exited = once(child, "exit");
    await written(child);
    const read = text(child.stderr);
    child.stdin.end("one more");
    const log = await read;
    await exited;
    const lost = [...log.matchAll(/^(\d+) lost$/gm)].reduce((sum, [, lines]) => sum + Number(lines), 0);
    expect(lost).toBeGreaterThan(0);
    // The last line and the one that came by stdin are no numbered ones, and may be among the lost.
    const others = [/^the last line$/m, /^one more$/m].filter((line) => line.test(log)).length;
    expect(numbers(log).length + others + lost).toBe(20_002);
  });

  test("a reader that is gone", async () => {
    const child = write("wait", "0");
    const exited = once(child, "exit");
    await written(child);
    child.stderr.destroy();
    for (const line of ["one", "two", "three"]) {
      child.stdin.write(line);
      expect(String((await once(child.stdout, "data"))[0])).toContain("tried");
    }
    child.stdin.end();
    expect((await exited)[0]).toBe(0);
  });

  test("a reader of the server's log that is gone", async () => {
    const place = await createWorkplace();
    const server = place.start();
    const exited = once(server, "exit");
    server.stdout?.resume();
    const lines = createInterface({ input: server.stderr as Readable });
    for await (const line of lines) if (line.includes("listening")) break;
    server.stderr?.destroy();
    for (const path of ["/status", "/nowhere", "/status"]) {
      const answer = await fetch(`${place.url}${path}`);
      expect(answer.status).toBe(path === "/status" ? 200 : 404);
      await answer.body?.cancel();
    }
    server.kill("SIGTERM");
    expect((await exited)[0]).toBe(0);
    place.remove();
  });

  test("a disk that is full", async () => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [WRITER, "return", "100"], { stdio: ["ignore", "ignore", full] });
    closeSync(full);
    expect((await once(child, "exit"))[0]).toBe(0);
  });
});
