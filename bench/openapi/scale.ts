import { readFileSync } from "node:fs";
import { GCProfiler } from "node:v8";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { largeDocument } from "./large-document.ts";

/** What compiling a document took in a process of its own; sizes in bytes. */
export interface ScaleUsage {
  readonly operations: number;
  readonly characters: number;
  /** Heap with the document's text. */
  readonly before: number;
  /** Heap that the parsed document takes. */
  readonly parsed: number;
  /** Heap in use at its highest after a full collection, above what it was before. */
  readonly peak: number;
  /** What is left of it, the catalog. */
  readonly kept: number;
  readonly milliseconds: number;
  /** Resident memory of the whole process at its highest, garbage and the program itself included. */
  readonly resident: number;
}

const [file = ""] = process.argv.slice(2);
await compiled(largeDocument(100));
const text = readFileSync(file, "utf8");
const before = collectedHeap();
const parsed = heapOf(() => JSON.parse(text));

const profiler = new GCProfiler();
profiler.start();
const startedAt = performance.now();
const catalog = await compiled(text);
const milliseconds = performance.now() - startedAt;
const { statistics } = profiler.stop();
const kept = collectedHeap() - before;
const full = statistics.filter(({ gcType }) => gcType !== "Scavenge");
const usage: ScaleUsage = {
  operations: catalog.tools.length + catalog.leftOut.length,
  characters: text.length,
  before,
  parsed,
  peak: Math.max(kept, ...full.map(({ afterGC }) => afterGC.heapStatistics.usedHeapSize - before)),
  kept,
  milliseconds,
  resident: process.resourceUsage().maxRSS * 1024,
};
console.log(JSON.stringify(usage));

async function compiled(text: string) {
  const result = await compileCatalog(text, { app: "app", namespace: { disabled: true } });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors.slice(0, 3)));
  return result.catalog;
}

function heapOf(make: () => unknown): number {
  const before = collectedHeap();
  const made = [make()];
  const size = collectedHeap() - before;
  made.pop();
  collectedHeap();
  return size;
}

/** What is only weakly held is gone after the second. */
function collectedHeap(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
