import { readFileSync } from "node:fs";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { createToolIndex, scopesOf } from "../../lib/gateway/tool-index.ts";
import { appsOf } from "./artifact.ts";

/** What loading an artifact took in a process that has just started. */
export interface LoadUsage {
  /** Reading its JSON and making the index of the gateway's tools. */
  readonly milliseconds: number;
  /** The same once more, as after a change of the configuration: the artifact is read already. */
  readonly again: number;
  /** Bytes of the heap after a collection, above those before. */
  readonly heap: number;
}

const [file = ""] = process.argv.slice(2);
const before = collectedHeap();
let text = readFileSync(file, "utf8");
const startedAt = performance.now();
const artifact = JSON.parse(text) as ConfigurationArtifact;
const parsed = performance.now() - startedAt;
text = "";

const apps = await appsOf(artifact);
const [index, indexed] = timedIndex();
const heap = collectedHeap() - before;
const [, again] = timedIndex();
if (index.size === 0) throw new Error("the artifact has no tools");
const usage: LoadUsage = { milliseconds: parsed + indexed, again, heap };
console.log(JSON.stringify(usage));

function timedIndex() {
  const beganAt = performance.now();
  const tools = createToolIndex(apps);
  scopesOf(apps);
  return [tools, performance.now() - beganAt] as const;
}

function collectedHeap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
