import { parentPort, workerData } from "node:worker_threads";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import { ConfigurationError, type ConfigurationMessage } from "../../../lib/config/messages.ts";
import { loadConfiguration, readAsFarAsPossible } from "../load-configuration.ts";
import type { ReadDocument } from "../start-failure.ts";

/** What the thread that `loadInThread` starts posts. */
export type LoadOutcome =
  | { readonly artifact: ConfigurationArtifact }
  | {
      readonly messages: readonly ConfigurationMessage[];
      /** For the log entry of the failure. */
      readonly read: ReadDocument | undefined;
    };

parentPort?.postMessage(await load(workerData as string));

/** Errors lose their class on the way to another thread; what is not one of the configuration ends both. */
async function load(file: string): Promise<LoadOutcome> {
  try {
    return { artifact: await loadConfiguration(file) };
  } catch (error) {
    if (error instanceof ConfigurationError) return { messages: error.messages, read: await readAsFarAsPossible(file) };
    throw error;
  }
}
