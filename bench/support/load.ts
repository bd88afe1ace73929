import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Target } from "./http-request.ts";

export interface Load {
  readonly target: Target;
  /** Each is sent once. */
  readonly requests: readonly Buffer[];
  readonly connections: number;
  /** Text in the body of every answer; an answer without it, or with another status than 200, fails the run. */
  readonly expect: string;
  /** Name of a member of the answers whose texts are collected. */
  readonly keep?: string;
}

export interface LoadResult {
  /** Milliseconds, one a request. */
  readonly latencies: Float64Array;
  /** Milliseconds from the first request to the last answer. */
  readonly elapsed: number;
  /** CPU time that sending and receiving took, microseconds. */
  readonly ownCpu: number;
  readonly kept: readonly string[];
}

export interface LoadGenerator {
  /** Rejects with the first answer that is not as expected. */
  run(load: Load): Promise<LoadResult>;
  stop(): Promise<void>;
}

/** What goes to the generator's process: the requests wait in a file, each behind its length. */
export type LoadOrder = Omit<Load, "requests"> & { readonly file: string };
export type LoadAnswer = { readonly result: LoadResult } | { readonly error: string };

/** Starts the process that sends requests; one process for a whole benchmark, so that no round meets it cold. */
export async function startLoadGenerator(parent: string): Promise<LoadGenerator> {
  const folder = mkdtempSync(join(parent, "load-"));
  const child = fork(fileURLToPath(new URL("./load-generator.ts", import.meta.url)), { serialization: "advanced" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    run: async ({ requests, ...load }) => {
      const file = join(folder, "requests");
      await writeRequests(file, requests);
      return carryOut(child, { ...load, file });
    },
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

function carryOut(child: ChildProcess, order: LoadOrder): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error("The load generator ended."));
    child.once("exit", onExit);
    child.once("message", (answer: LoadAnswer) => {
      child.off("exit", onExit);
      if ("result" in answer) resolve(answer.result);
      else reject(new Error(answer.error));
    });
    child.send(order);
  });
}

async function writeRequests(file: string, requests: readonly Buffer[]): Promise<void> {
  const parts = requests.flatMap((request) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(request.length);
    return [length, request];
  });
  await writeFile(file, Buffer.concat(parts));
}
