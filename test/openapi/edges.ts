import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { openUpstream } from "../support/one-answer-upstream.ts";
import { artifactOf, SMALL_DOCUMENT } from "./edges/configuration.ts";
import { REFERENCE } from "./edges/conversation.ts";
import type { EdgeUsage } from "./edges/edge.ts";
import { useLambda } from "./edges/lambda.ts";
import { useWorkerd } from "./edges/workerd.ts";

/** What an isolate of Workers may use, bytes. */
const ISOLATE_LIMIT = 128 * 1024 * 1024;
/** The smaller of what functions are usually given, a quarter of what `serverless.yml` gives; bytes. */
const FUNCTION_LIMIT = 256 * 1024 * 1024;

/** One runtime with a large catalog, beside the same with one tool. */
export interface EdgeResult {
  readonly runtime: "workerd" | "lambda";
  readonly large: EdgeUsage;
  readonly small: EdgeUsage;
  /** Of workerd the isolate's heap, of Lambda the resident memory of the function's process; bytes. */
  readonly used: number;
  readonly limit: number;
}

/**
 * Has an agent list, search, describe and call tools of GitHub's catalog on the runtimes of the edge, and measures their
 * memory. Rejects when an answer is wrong.
 *
 * @param document GitHub's OpenAPI document, JSON text
 */
export async function checkEdges(document: string): Promise<readonly EdgeResult[]> {
  const [large, small] = [await artifactOf(document), await artifactOf(SMALL_DOCUMENT)];
  const upstream = await openUpstream(REFERENCE);
  try {
    const workerd = {
      large: await useWorkerd(large, upstream.url),
      small: await useWorkerd(small, upstream.url),
    };
    const lambda = { large: await useLambda(large, upstream.url), small: await useLambda(small, upstream.url) };
    return [
      { runtime: "workerd", ...workerd, used: workerd.large.heap, limit: ISOLATE_LIMIT },
      { runtime: "lambda", ...lambda, used: lambda.large.resident, limit: FUNCTION_LIMIT },
    ];
  } finally {
    await upstream.close();
  }
}

/** Lines for people; the last word of each says whether the runtime keeps its limit. */
export function edgeLines(results: readonly EdgeResult[]): readonly string[] {
  return results.map(({ runtime, large, small, used, limit }) => {
    const { list, search, describe, call } = large.conversation;
    const steps = `list ${list.toFixed(0)}, search ${search.toFixed(0)}, describe ${describe.toFixed(0)}, call ${call.toFixed(0)} ms`;
    const memory = `resident ${mebibytes(large.resident)} (one tool: ${mebibytes(small.resident)}), heap ${mebibytes(large.heap)} (${mebibytes(small.heap)})`;
    return `${runtime}: ${steps}; ${memory}; ${mebibytes(used)} of ${mebibytes(limit)}: ${used <= limit ? "kept" : "EXCEEDED"}`;
  });
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/** `node test/openapi/edges.ts DIR`, the folder with `github.json.gz`. */
async function main([folder = "../shared/data/openapi"]: readonly string[]): Promise<void> {
  const file = `${folder}/github.json.gz`;
  if (!existsSync(file)) {
    console.log(`skipped: there is no ${file}`);
    return;
  }
  const results = await checkEdges(gunzipSync(readFileSync(file)).toString());
  console.log(edgeLines(results).join("\n"));
  if (results.some(({ used, limit }) => used > limit)) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2));
