import { parseArgs } from "node:util";
import { documentsIn, exampleDocuments } from "./documents.ts";
import { EXCEPTIONS } from "./exceptions.ts";
import { type DocumentReport, judgeDocument } from "./judge-document.ts";
import { startReceiver } from "./receiver/server.ts";
import { answersAbout, foundAmong, questionsOf } from "./search-quality.ts";
import { describe, headings, totalOf, wrongWith } from "./table.ts";

/**
 * Compiles the OpenAPI documents of folders and those of `@readme/oas-examples`, calls every tool with random arguments
 * that its schema accepts, and has an independent validator judge by the original document what arrives.
 *
 *     npm run test:openapi -- [DIRECTORY ...] [-seed NUMBER] [-only TEXT]
 *
 * Prints a table; ends with 1 when a tool fails or too many operations are no tools (`table.ts`).
 */
/** Documents every operation of which is a tool. */
const COMPLETE = new Set(["github.json", "openai.json", "star-trek.json"]);
/** Part of the operations of the others. */
const MAY_BE_LEFT_OUT = 0.01;

/** Where the right tool has to be, and for which part of the questions that the search was made with. */
const SEARCH_TARGETS = { older: { first: 5, part: 0.9 }, tuning: { first: 10, part: 0.8 } };

const { directories, seed, only } = readArguments(process.argv.slice(2));
const started = performance.now();
const receiver = await startReceiver();
const wrong: string[] = [];
const reports: DocumentReport[] = [];
const validatorWarns = console.warn;
// The validator warns of formats that it does not know, which say nothing about a value.
console.warn = (...text) => /^unknown format/.test(String(text[0])) || validatorWarns(...text);
try {
  console.log(headings());
  for (const directory of directories) {
    const documents = documentsIn(directory);
    if (documents.length === 0) wrong.push(`${directory} has no documents.`);
    for (const document of documents.filter(({ name }) => name.includes(only))) {
      const report = await judgeDocument(document, receiver, seed);
      console.log(describe(report));
      reports.push(report);
      wrong.push(...wrongWith(report, COMPLETE.has(document.name) ? 0 : MAY_BE_LEFT_OUT), ...searchProblems(report));
    }
  }
  const examples: DocumentReport[] = [];
  for (const document of exampleDocuments().filter(({ name }) => name.includes(only))) {
    examples.push(await judgeDocument(document, receiver, seed));
  }
  if (only !== "") for (const report of examples) console.log(describe(report));
  if (examples.length > 0) {
    const total = totalOf("@readme/oas-examples", examples);
    console.log(describe(total));
    reports.push(total);
    wrong.push(...wrongWith(total, MAY_BE_LEFT_OUT));
  }
} finally {
  await receiver.close();
}

const refused = reports.flatMap((report) => report.refused);
for (const one of refused.slice(0, 20)) console.log(`refused by the gateway: ${one}`);
const undrawn = reports.flatMap((report) => report.undrawn);
for (const one of undrawn.slice(0, 20)) console.log(`in no call: ${one}`);
for (const [exception, reason] of Object.entries(EXCEPTIONS)) {
  const calls = reports.reduce((sum, { exceptions }) => sum + (exceptions.get(exception as never) ?? 0), 0);
  console.log(`exception: ${exception}, ${calls} calls: ${reason}`);
}
for (const one of wrong) console.log(`WRONG: ${one}`);
const seconds = ((performance.now() - started) / 1000).toFixed(0);
const memory = (process.resourceUsage().maxRSS / 1024).toFixed(0);
console.log(`OpenAPI: ${reports.length} rows, ${wrong.length} wrong, ${seconds} s, ${memory} MB, seed ${seed}.`);
process.exitCode = wrong.length === 0 ? 0 : 1;

function searchProblems({ name, catalog }: DocumentReport): readonly string[] {
  if (catalog === undefined) return [];
  const app = name.replace(/\.json$/, "");
  const found = (file: Parameters<typeof questionsOf>[0], first: number): string => {
    const answers = answersAbout(app, catalog, questionsOf(file));
    return `${foundAmong(first, answers)} of ${answers.length}`;
  };
  return (["older", "tuning"] as const).flatMap((file) => {
    const { first, part } = SEARCH_TARGETS[file];
    const answers = answersAbout(app, catalog, questionsOf(file));
    if (answers.length === 0) return [];
    const others = `held out: ${found(file === "older" ? "olderHeldOut" : "heldOut", first)}`;
    console.log(`search in ${name}, the right tool in the first ${first}: ${found(file, first)}; ${others}`);
    const missed = answers.filter(({ place }) => place > first);
    const list = missed.map(({ question, operations }) => `${question} → ${operations}`).join("; ");
    return foundAmong(first, answers) >= answers.length * part ? [] : [`search in ${name} finds too little: ${list}`];
  });
}

function readArguments(given: readonly string[]) {
  const { positionals, values } = parseArgs({
    args: given.map((one) => one.replace(/^-(?=[a-z])/, "--")),
    allowPositionals: true,
    options: { seed: { type: "string", default: "42" }, only: { type: "string", default: "" } },
  });
  return { directories: positionals, seed: Number(values.seed), only: values.only };
}
