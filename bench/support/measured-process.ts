import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A program of `bench/openapi/`. */
export interface MeasuredProgram {
  /** Its name there. */
  readonly name: string;
  readonly args: readonly string[];
  /** Of the runtime. */
  readonly flags?: readonly string[];
}

/** Runs a program that measures itself, in a process of its own, and gives the numbers that its last line has as JSON. */
export async function measureInProcess<T>({ name, args, flags = [] }: MeasuredProgram): Promise<T> {
  const program = fileURLToPath(new URL(`../openapi/${name}.ts`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", ...flags, program, ...args], {
    env: { ...process.env, NODE_ENV: "production" },
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as T;
}
