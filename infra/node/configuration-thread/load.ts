import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import { ConfigurationError } from "../../../lib/config/messages.ts";
import type { LoadOutcome } from "./thread.ts";

/**
 * `loadConfiguration` in a thread that ends with it: what reads YAML and OpenAPI documents takes some ten megabytes, which
 * a server needs only once.
 * @throws ConfigurationError with every mistake, also when the file cannot be read
 */
export async function loadInThread(file: string): Promise<ConfigurationArtifact> {
  const worker = new Worker(new URL("./thread.ts", import.meta.url), { workerData: file });
  const exited = once(worker, "exit");
  const [outcome] = (await once(worker, "message")) as [LoadOutcome];
  await exited;
  if ("messages" in outcome) throw new ConfigurationError(outcome.messages);
  return outcome.artifact;
}
