import { dirname, join } from "node:path";
import MiniSearch from "minisearch";
import type { Catalog } from "../lib/openapi/catalog.ts";
import { compileCatalog } from "../lib/openapi/compile.ts";
import { type CorpusDocument, documentsIn, exampleDocuments } from "../test/openapi/documents.ts";
import {
  answersAbout,
  type FindNames,
  foundAmong,
  questionsOf,
  type SearchAnswer,
  searchOf,
} from "../test/openapi/search-quality.ts";
import { plainBM25, textOf } from "./search/bm25.ts";
import { measureSearchCost } from "./search/cost.ts";
import type { Finding } from "./support/finding.ts";
import { gitHubDocumentFile } from "./support/openapi-document.ts";
import type { BenchOptions } from "./support/options.ts";
import { printTable, type Row } from "./support/table.ts";

/** Documents of companies stand in a folder beside the one that has GitHub's. */
const FOLDERS = [dirname(gitHubDocumentFile()), join(dirname(gitHubDocumentFile()), "..", "openapi-companies")];
const HALVES = ["tuning", "heldOut"] as const;
const NAMES = { tuning: "60 questions it was made with", heldOut: "60 questions held out" };

/** Ways to find tools of a document, the one that agents have first. */
const CONTENDERS: Readonly<Record<string, (app: string, catalog: Catalog) => FindNames>> = {
  countersign: searchOf,
  "BM25, with its synonyms": (_, catalog) => plainBM25(catalog, true),
  "BM25, plain": (_, catalog) => plainBM25(catalog, false),
  "minisearch, defaults": (_, catalog) => miniSearch(catalog),
};

/**
 * Recall of the search over tools: 120 questions in plain English about nine public documents, half of which the search was
 * made with. A question counts as found where a right tool is among the first 3, or 10. Documents that are not at hand are
 * left out with their questions. Then what a search costs a gateway.
 */
export async function benchSearch(options: BenchOptions): Promise<readonly Finding[]> {
  const catalogs = await readCatalogs();
  const answers = Object.entries(CONTENDERS).map(([name, contender]) => ({
    name,
    ...answersOf((app, catalog) => contender(app, catalog), catalogs),
  }));
  const [ours, , plain] = answers as [(typeof answers)[0], unknown, (typeof answers)[0]];
  console.log("\nSearch over tools: the right tool among the first 3, and the first 10");
  printTable(
    ["", ...HALVES.flatMap((half) => [`${NAMES[half]}: 3`, "10"])],
    answers.map((one) => [one.name, ...HALVES.flatMap((half) => [recall(3, one[half]), recall(10, one[half])])]),
  );
  printTable(
    ["document", "tools", ...HALVES.flatMap((half) => [`${NAMES[half]}: 3`, "10"])],
    byDocument(ours, catalogs),
  );
  const recalls = HALVES.map((half) => ({
    what: `The right tool in the first 3, ${NAMES[half]}`,
    measured: recall(3, ours[half]),
    against: `${recall(3, plain[half])}, plain BM25`,
  }));
  return [...recalls, ...(await measureSearchCost(options))];
}

type Answers = Readonly<Record<(typeof HALVES)[number], readonly SearchAnswer[]>>;

function answersOf(
  find: (app: string, catalog: Catalog) => FindNames,
  catalogs: ReadonlyMap<string, Catalog>,
): Answers {
  const all = [...catalogs].map(([app, catalog]) => ({ app, catalog, find: find(app, catalog) }));
  const about = (half: (typeof HALVES)[number]) =>
    all.flatMap((one) => answersAbout(one.app, one.catalog, questionsOf(half), one.find));
  return { tuning: about("tuning"), heldOut: about("heldOut") };
}

function byDocument(answers: Answers, catalogs: ReadonlyMap<string, Catalog>): readonly Row[] {
  return [...catalogs].map(([app, { tools }]) => {
    const cells = HALVES.flatMap((half) => {
      const own = answers[half].filter((answer) => answer.app === app);
      return [recall(3, own), recall(10, own)];
    });
    return [app, `${tools.length}`, ...cells];
  });
}

function recall(first: number, answers: readonly SearchAnswer[]): string {
  return `${foundAmong(first, answers)} of ${answers.length}`;
}

async function readCatalogs(): Promise<ReadonlyMap<string, Catalog>> {
  const apps = new Set(HALVES.flatMap((half) => questionsOf(half).map(({ app }) => app)));
  const examples = exampleDocuments().filter(({ name }) => /^3\.1\/json\/(?:readme|train-travel)\.json$/.test(name));
  const documents = new Map([...FOLDERS.flatMap(documentsIn), ...examples].map((one) => [appOf(one), one]));
  const catalogs = new Map<string, Catalog>();
  for (const app of [...apps].sort()) {
    const document = documents.get(app);
    if (document === undefined) console.log(`search: left out, there is no ${app}.json in ${FOLDERS.join(" or ")}`);
    else catalogs.set(app, await compiled(app, document));
  }
  return catalogs;
}

function appOf({ name }: CorpusDocument): string {
  return name.replace(/^.*\/|\.json$/g, "");
}

async function compiled(app: string, { text }: CorpusDocument): Promise<Catalog> {
  const result = await compileCatalog(text, { app, namespace: { disabled: false } });
  if ("errors" in result) throw new Error(`${app}: ${JSON.stringify(result.errors[0])}`);
  return result.catalog;
}

/** The library as its documentation begins: no weights, no stems, no synonyms. */
function miniSearch({ tools }: Catalog): FindNames {
  const index = new MiniSearch<{ readonly id: string; readonly text: string }>({ fields: ["text"] });
  index.addAll(tools.map((tool) => ({ id: tool.name, text: textOf(tool) })));
  return (question) => index.search(question).map(({ id }) => id as string);
}
