import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { evaluate, prepareData, preparePlan } from "../../../lib/policy/rego/evaluate.ts";
import { jsonText, parseJson, RegoObject, type Value } from "../../../lib/policy/rego/value.ts";
import { DATA, FOLDER, inputs, NAMES, readPlan } from "./documents.ts";

/**
 * Compares what our interpreter and OPA say of random inputs, policy by policy. Ends with 1 where they differ. Needs the program
 * `opa`, by its path:
 *
 *     node test/policy/rego/against-opa.ts -opa PATH [-inputs 100000] [-seed NUMBER]
 */
const BATCH = 1_000;
const options = new Map(
  process.argv.slice(2).flatMap((entry, index, all) => (index % 2 === 0 ? [[entry, all[index + 1] ?? ""]] : [])) as [
    string,
    string,
  ][],
);
const opa = options.get("-opa") ?? "opa";
const wanted = Number(options.get("-inputs") ?? 100_000);
const seed = Number(options.get("-seed") ?? Date.now() % 1_000_000);

const folder = mkdtempSync(join(tmpdir(), "rego-"));
const data = prepareData(DATA);
const prepared = NAMES.map((name) => [name, preparePlan(readPlan(name))] as const);
writeFileSync(join(folder, "data.json"), JSON.stringify(DATA));
let differences = 0;
let compared = 0;
for (let batch = 0; compared < wanted; batch += 1) {
  const sample = fc.sample(inputs, { numRuns: BATCH, seed: seed + batch });
  const size = Math.min(Math.ceil(wanted / NAMES.length), BATCH);
  writeFileSync(join(folder, "inputs.json"), JSON.stringify({ inputs: sample.slice(0, size) }));
  for (const [name, plan] of prepared) {
    const expected = fromOpa(name);
    for (const [index, input] of sample.slice(0, size).entries()) {
      compared += 1;
      const got = evaluate(plan, input, data, { entrypoint: "orchestrator/result" });
      const ours = "error" in got ? `error ${got.error.code}` : textOf(got.results[0]);
      const theirs = expected.has(index) ? jsonText(expected.get(index) as Value) : "undefined";
      if (ours === theirs) continue;
      differences += 1;
      if (differences <= 20)
        console.log(`${name}\n  input ${JSON.stringify(input)}\n  ours   ${ours}\n  theirs ${theirs}`);
    }
  }
}
rmSync(folder, { recursive: true });
console.log(`${compared} inputs of ${NAMES.length} policies compared, seed ${seed}: ${differences} differences.`);
process.exitCode = differences === 0 ? 0 : 1;

function textOf(result: Value | undefined): string {
  return result instanceof RegoObject ? jsonText(result.entries()[0]?.[1] as Value) : "undefined";
}

/** What OPA's own evaluation of the source says, by the input's number; those without an entry are undefined. */
function fromOpa(name: string): ReadonlyMap<Value, Value> {
  const query =
    'results := {sprintf("%d", [i]): r | some i, x in data.inputs; r := data.orchestrator.result with input as x}';
  const { stdout, stderr, status } = spawnSync(
    opa,
    [
      "eval",
      "--format",
      "json",
      "-d",
      join(FOLDER, `${name}.rego`),
      "-d",
      join(folder, "data.json"),
      "-d",
      join(folder, "inputs.json"),
      query,
    ],
    { encoding: "utf8", maxBuffer: 1 << 30 },
  );
  if (status !== 0) throw new Error(`${opa} failed: ${stderr}${stdout}`);
  // All digits of numbers are compared.
  const answer = parseJson(stdout) as RegoObject;
  const [first] = answer.get("result") as readonly RegoObject[];
  const bindings = first?.get("bindings");
  const results = bindings instanceof RegoObject ? bindings.get("results") : undefined;
  if (!(results instanceof RegoObject)) throw new Error(`${opa} says nothing of ${name}`);
  return new Map(results.entries().map(([key, value]) => [Number(key), value]));
}
