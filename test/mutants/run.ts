import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { EVERY_MUTANT } from "./every-mutant.ts";
import { firstLine, judge, type Original } from "./judge.ts";
import { listed, locate, productSources } from "./locate.ts";
import type { Mutant } from "./mutant.ts";
import { resultTable, type Verdict } from "./result-table.ts";
import { everyTestFile } from "./suites.ts";
import { copyTree } from "./tree.ts";

/**
 * `npm run mutants`: puts one defect at a time into a copy of the product and says which test notices it. It ends with exit
 * code 1 when nothing notices one of them. It is no step of `.ci/run`.
 */
const HELP = `npm run mutants -- [-only ID,AREA,…] [-own] [-output FILE] [-jobs N]

  -only    names of defects or areas; otherwise all
  -own     run the suites that a defect names, and no others when these do not notice it
  -output  a file for the table, in Markdown
  -jobs    how many defects are tried at once; 1 if not given
`;

const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

const { only, own, output, jobs } = readOptions();
const mutants = chosen(only);
const sources = productSources(root);
const originals = new Map(mutants.map((mutant) => [mutant.id, originalOf(mutant)]));
const verdicts = await judgeAll(mutants);
const table = resultTable(verdicts);
if (output === undefined) console.log(table);
else writeFileSync(output, table);
const unnoticed = verdicts.filter(({ failure }) => failure === undefined);
console.log(
  `${verdicts.length} defects, ${verdicts.length - unnoticed.length} noticed, ${unnoticed.length} noticed by nothing.`,
);
process.exitCode = unnoticed.length === 0 ? 0 : 1;

function readOptions() {
  const flags = process.argv.slice(2).map((text) => text.replace(/^-(?=[a-z]{2})/, "--"));
  const text = { type: "string" } as const;
  const options = { only: text, own: { type: "boolean", default: false }, output: text, jobs: text } as const;
  try {
    const { values } = parseArgs({ args: flags, options });
    const { own, output, jobs = "1" } = values;
    return { only: values.only?.split(","), own, output, jobs: Number(jobs) };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    process.exit(2);
  }
}

function chosen(names: readonly string[] | undefined): readonly Mutant[] {
  const unknown = names?.find((name) => EVERY_MUTANT.every(({ id, area }) => name !== id && name !== area));
  if (unknown !== undefined) throw new Error(`There is no defect and no area "${unknown}".`);
  return EVERY_MUTANT.filter(({ id, area }) => names === undefined || names.includes(id) || names.includes(area));
}

async function judgeAll(all: readonly Mutant[]): Promise<readonly Verdict[]> {
  const paths = listed(root);
  const trees = Array.from({ length: Math.min(jobs, all.length) }, () => copyTree(root, paths));
  const [first] = trees;
  if (first === undefined) return [];
  const waiting = [...all];
  const found = new Map<string, Verdict>();
  try {
    const files = await everyTestFile(first.root);
    await Promise.all(
      trees.map(async (tree) => {
        for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
          const verdict = await judge(mutant, originals.get(mutant.id) as Original, { tree, files, own });
          found.set(mutant.id, verdict);
          const { failure, seconds } = verdict;
          const by =
            failure === undefined ? "NOTHING" : `${failure.file} > ${failure.test}: ${firstLine(failure.message)}`;
          console.error(`${found.size}/${all.length} ${mutant.id} (${seconds} s): ${by}`);
        }
      }),
    );
  } finally {
    for (const tree of trees) tree.remove();
  }
  return all.flatMap(({ id }) => found.get(id) ?? []);
}

function originalOf(mutant: Mutant): Original {
  const place = locate(mutant, sources);
  return { place, text: sources.find(({ path }) => path === place.path)?.text ?? "" };
}
