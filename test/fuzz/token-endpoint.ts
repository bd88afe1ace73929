import { parseArgs } from "node:util";
import { startRegions } from "../behaviour/fixture.ts";
import { bareWorkerd } from "../runtimes/bare-workerd.ts";
import { lambda } from "../runtimes/lambda.ts";
import { node } from "../runtimes/node.ts";
import { atTheEnd } from "../support/at-the-end.ts";
import { type RunningDynamo, startDynamo } from "../support/dynamodb.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { type FuzzResult, fuzzRuntime } from "./fuzz-runtime.ts";
import { watchProcesses } from "./memory.ts";
import { neverMet } from "./never-met.ts";
import { describeResult, faultsOf } from "./report.ts";
import { createWorld } from "./world.ts";

/**
 * Sends generated requests to the token, introspection and revocation endpoints of the product on all three runtimes and
 * compares each answer with what an independent reading of the decisions says (`reference.ts`).
 *
 *     node test/fuzz/token-endpoint.ts [-seconds 120] [-seed TEXT] [-runtime node]
 *
 * Ends with 1 when an answer, a log line or a process is not as it has to be.
 */
const { seconds, seed, runtimes } = readArguments(process.argv.slice(2));
const dynamo = runtimes.includes("lambda") ? await startDynamo() : undefined;
const running = await startAll();
const wrong: string[] = [];
try {
  wrong.push(...(await fuzz()));
} catch (error) {
  wrong.push(`WRONG: the run ended early: ${error instanceof Error ? error.stack : error}`);
} finally {
  for (const stopped of await Promise.allSettled(running.map(({ regions }) => regions.stop()))) {
    if (stopped.status === "fulfilled") continue;
    wrong.push(`WRONG: a runtime did not stop as it should: ${stopped.reason}`);
  }
  await dynamo?.stop();
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
for (const fault of wrong) console.log(atTheEnd(fault));
console.log(`Fuzz: ${runtimes.join(", ")}, ${seconds} s, ${wrong.length} wrong, seed ${seed}.`);

/** What was wrong. */
async function fuzz(): Promise<readonly string[]> {
  const started = await Promise.all(
    running.map(async (runtime) => ({ ...runtime, world: await createWorld(runtime.regions) })),
  );
  const watch = watchProcesses();
  const until = Date.now() + seconds * 1000;
  console.log(`Fuzzing ${runtimes.join(", ")} for ${seconds} s; repeat with -seed ${seed}`);
  setTimeout(() => watch.measure(), (seconds * 1000) / 4).unref();
  const results = await Promise.all(
    started.map((runtime) => fuzzRuntime({ ...runtime, seed, until, hasOwnServer: runtime.name === "node" })),
  );
  const { faults, lines } = watch.finish();
  for (const result of results) console.log(describeResult(result));
  console.log(["Resident memory after a quarter of the time and at the end:", ...lines].join("\n  "));
  console.log(`${total(results)} requests`);
  const untried = results.flatMap(({ name, counts }) => neverMet(counts, seconds).map((what) => `${name}: ${what}`));
  return [
    ...results.flatMap(faultsOf),
    ...faults.map((fault) => `WRONG: a process ${fault}`),
    ...untried.map((outcome) => `WRONG: nothing was tried that is answered with ${outcome}`),
  ];
}

interface Started {
  readonly name: RuntimeUnderTest["name"];
  readonly regions: RunningRegions;
}

async function startAll(): Promise<readonly Started[]> {
  const all: readonly RuntimeUnderTest[] = [node, bareWorkerd, lambda(() => dynamo as RunningDynamo)];
  const chosen = all.filter(({ name }) => runtimes.includes(name));
  return Promise.all(chosen.map(async (runtime) => ({ name: runtime.name, regions: await startRegions(runtime) })));
}

function total(all: readonly FuzzResult[]): number {
  const requests = all.flatMap(({ counts }) => [...counts].filter(([outcome]) => outcome !== "log lines"));
  return requests.reduce((sum, [, count]) => sum + count, 0);
}

/** Flags have one dash, as the product's own have. */
function readArguments(given: readonly string[]) {
  const { values } = parseArgs({
    args: given.map((argument) => argument.replace(/^-(?=[a-z]{2})/, "--")),
    options: { seconds: { type: "string", default: "120" }, seed: { type: "string" }, runtime: { type: "string" } },
  });
  const names: readonly RuntimeUnderTest["name"][] = ["node", "workerd", "lambda"];
  const chosen = names.filter((name) => values.runtime === undefined || values.runtime === name);
  if (!(Number(values.seconds) > 0) || chosen.length === 0) {
    throw new Error(
      "usage: node test/fuzz/token-endpoint.ts [-seconds 120] [-seed TEXT] [-runtime node|workerd|lambda]",
    );
  }
  return { seconds: Number(values.seconds), seed: values.seed ?? crypto.randomUUID().slice(0, 8), runtimes: chosen };
}
