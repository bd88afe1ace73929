import { META_TOOLS } from "../../lib/gateway/search/meta-tools.ts";
import { createToolIndex } from "../../lib/gateway/tool-index.ts";
import { createFindTools } from "../../lib/search/find-tools.ts";
import { median } from "../support/statistics.ts";
import { appsOf, readArtifact } from "./artifact.ts";

/** What searching a large catalog takes. */
export interface SearchUsage {
  /** The first question, which builds the index; milliseconds. */
  readonly first: number;
  /** Milliseconds of a question after that, in the middle and at worst. */
  readonly typical: number;
  readonly slowest: number;
  /** Of the index, bytes of the heap and of buffers after a collection. */
  readonly heap: number;
  /** Of the JSON text of the three tools that are listed in place of all, bytes. */
  readonly listed: number;
}

const QUESTIONS = [
  "create an issue",
  "merge a pull request",
  "who starred my repository",
  "give a team access to a repository",
  "download the logs of a workflow run",
  "list the alerts about leaked secrets of an organization",
  "delete an old release and the files that were uploaded with it",
  "rename the default branch",
  "what did somebody do in our organization last week",
  "star",
];
const ROUNDS = 20;

const [file = ""] = process.argv.slice(2);
const tools = [...createToolIndex(await appsOf(readArtifact(file))).values()];
const before = collectedMemory();
const find = createFindTools(tools);
const first = timed(QUESTIONS[0] ?? "");
const heap = collectedMemory() - before;
// The first of each question meets code that is not compiled yet.
for (const question of QUESTIONS) find(question);
const times = Array.from({ length: ROUNDS }, () => QUESTIONS.map(timed));
const ofQuestions = QUESTIONS.map((_, question) => median(times.map((round) => round[question] ?? Number.NaN)));
const usage: SearchUsage = {
  first,
  typical: median(ofQuestions),
  slowest: Math.max(...ofQuestions),
  heap,
  listed: Buffer.byteLength(JSON.stringify({ tools: META_TOOLS })),
};
console.log(JSON.stringify(usage));

function timed(question: string): number {
  const startedAt = performance.now();
  const found = find(question);
  const milliseconds = performance.now() - startedAt;
  if (found.length === 0) throw new Error(`nothing was found for "${question}"`);
  return milliseconds;
}

function collectedMemory(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
