import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { LoadOutcome } from "./thread.ts";

/**
 * `loadConfiguration` in a thread that ends with it: what reads YAML and OpenAPI documents takes some ten megabytes, which
 * a server needs only once. Mistakes, also that the file cannot be read, are in the outcome.
 */
export async function loadInThread(file: string): Promise<LoadOutcome> {
  const worker = new Worker(new URL("./thread.ts", import.meta.url), { workerData: file });
  const exited = once(worker, "exit");
  const [outcome] = (await once(worker, "message")) as [LoadOutcome];
  await exited;
  return outcome;
}
