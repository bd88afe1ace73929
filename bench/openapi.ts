import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openUpstream } from "../test/support/one-answer-upstream.ts";
import type { CallCost } from "./openapi/call-cost.ts";
import type { CompileUsage } from "./openapi/compile.ts";
import type { LoadUsage } from "./openapi/load.ts";
import type { PeerUsage } from "./openapi/peer.ts";
import { ANSWER } from "./openapi/requests.ts";
import type { SearchUsage } from "./openapi/search.ts";
import type { Finding } from "./support/finding.ts";
import { measureInProcess } from "./support/measured-process.ts";
import { gitHubDocumentFile, readGitHubDocument } from "./support/openapi-document.ts";
import {
  callFindings,
  compileFindings,
  loadFindings,
  peerFindings,
  searchFindings,
} from "./support/openapi-findings.ts";
import type { BenchOptions } from "./support/options.ts";
import { gzipped } from "./support/sizes.ts";
import { median } from "./support/statistics.ts";

const MOST_COMPILATIONS = 3;

/**
 * GitHub's OpenAPI document: compiled, loaded, searched, and its tools called, beside a package of npm that turns such
 * documents into tools. Each number is of a process of its own. No findings where the document is not at hand.
 */
export async function benchOpenapi({ folder, runs }: BenchOptions): Promise<readonly Finding[]> {
  const text = readGitHubDocument();
  if (text === undefined) {
    console.log(
      `\nopenapi: skipped, there is no ${gitHubDocumentFile()}; COUNTERSIGN_OPENAPI_DOCUMENTS names its folder`,
    );
    return [];
  }
  const [document, artifact] = [join(folder, "github.json"), join(folder, "github-artifact.json")];
  writeFileSync(document, text);
  const measured = <T>(name: string, ...args: readonly string[]) => measureInProcess<T>({ name, args });

  const compilations = await inTurn(Math.min(runs, MOST_COMPILATIONS), () =>
    measured<CompileUsage>("compile", document, artifact),
  );
  const size = await gzipped(readFileSync(artifact));
  const loads = await inTurn(runs, () => measured<LoadUsage>("load", artifact));
  const search = await measured<SearchUsage>("search", artifact);
  const upstream = await openUpstream(ANSWER);
  const calls = await measured<CallCost>("call", artifact, upstream.url);
  const peer = await measured<PeerUsage>("peer", document, upstream.url);
  await upstream.close();
  return [
    ...compileFindings(typicalOf(compilations), size),
    ...loadFindings(typicalOf(loads)),
    ...searchFindings(search),
    ...callFindings(calls, peer),
    ...peerFindings(typicalOf(compilations), typicalOf(loads), search, peer),
  ];
}

async function inTurn<T>(count: number, work: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  for (let run = 0; run < count; run++) results.push(await work());
  return results;
}

/** The median of each number. */
function typicalOf<T extends object>(usages: readonly T[]): T {
  const [first] = usages as [T];
  const names = Object.keys(first) as (keyof T)[];
  const medians = names.map((name) => [name, median(usages.map((usage) => usage[name] as number))]);
  return Object.fromEntries(medians) as T;
}
