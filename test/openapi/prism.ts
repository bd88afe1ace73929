import { parseArgs } from "node:util";
import type { JsonObject } from "../../lib/kernel/json.ts";
import type { BridgeTool } from "../../lib/openapi/catalog.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { type BridgeTarget, invokeOperation } from "../../lib/openapi/invoke.ts";
import { createOpenTool } from "../../lib/openapi/open-tool.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { callsOf } from "./calls.ts";
import { type CorpusDocument, documentsIn } from "./documents.ts";
import { packagedDocuments } from "./prism/documents.ts";
import { isInstalled, type Mock, objectionIn, startMock } from "./prism/mock.ts";
import { UNREAD, type Unread, unreadIn } from "./prism/unread.ts";
import { type OperationDocument, operationDocument } from "./receiver/operation-document.ts";
import { createSchemaSet } from "./sampler/schema-set.ts";

/**
 * Has a mock of another maker, Prism, judge calls of the tools of companies' documents: those of folders and those of the packages in
 * `test/openapi/prism`. It reads the document by itself, and nothing of ours says what it should accept.
 *
 *     npm run test:openapi-mock -- [DIRECTORY ...] [-seed NUMBER] [-only TEXT]
 *
 * Prints a table and what the mock refused; ends with 1 when it accepts too little.
 */
const ACCEPTED = 0.995;
const DOCUMENTS = 10;
/** Refusals of one document that are told. */
const TOLD = 8;
/** Requests of one document that are sent once more with a broken body. */
const BROKEN = 5;

/** The calls of one document, or of all. */
interface Judged {
  readonly name: string;
  readonly version: string;
  readonly operations: number;
  readonly tools: number;
  readonly calls: number;
  /** Of the calls, those with `withTexts`. */
  readonly filled: number;
  readonly accepted: number;
  /** Refused calls that the mock does not read (`prism/unread.ts`). */
  readonly unread: ReadonlyMap<Unread, number>;
  /** The others, by what the mock says of them. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  /** What is wrong beside the share. */
  readonly wrong: readonly string[];
  readonly seconds: number;
}

const checkSchema = createSchemaCheck();
const { directories, seed, only } = readArguments(process.argv.slice(2));
if (isInstalled()) await judgeAll();
else console.log("skipped: npm ci --ignore-scripts --prefix test/openapi/prism brings the mock");

async function judgeAll(): Promise<void> {
  const documents = [...directories.flatMap(documentsIn), ...packagedDocuments()];
  const all: Judged[] = [];
  console.log(
    row(["document", "version", "operations", "tools", "calls", "filled", "accepted", "unread", "share", "s"]),
  );
  for (const document of documents.filter(({ name }) => name.includes(only))) {
    const judged = await judge(document);
    console.log(describe(judged));
    all.push(judged);
  }
  const total = totalOf(all);
  console.log(describe({ ...total, refused: new Map() }));
  console.log(
    `filled: ${total.filled} calls, in which an empty text of the query is another: the mock takes one for none`,
  );
  for (const [unread, count] of total.unread) console.log(`unread: ${unread}, ${count} calls: ${UNREAD[unread]}`);
  const wrong = [
    ...total.wrong,
    ...(only === "" && all.length < DOCUMENTS ? [`${all.length} of ${DOCUMENTS} documents were judged`] : []),
    ...(shareOf(total) < ACCEPTED ? [`the mock accepts less than ${ACCEPTED * 100} % of the calls`] : []),
  ];
  for (const one of wrong) console.log(`WRONG: ${one}`);
  const share = `${((total.accepted / total.calls) * 100).toFixed(2)} % with those that it does not read`;
  console.log(`OpenAPI mock: ${all.length} documents, ${percent(shareOf(total))} accepted, ${share}, seed ${seed}.`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

async function judge(document: CorpusDocument): Promise<Judged> {
  const started = performance.now();
  const result = await compileCatalog(document.text, { app: "app", namespace: { disabled: true } });
  if ("errors" in result) throw new Error(`${document.name}: ${JSON.stringify(result.errors.slice(0, 3))}`);
  const { catalog } = result;
  const mock = await startMock(document.json);
  const counts: Counts = {
    calls: 0,
    filled: 0,
    accepted: 0,
    unread: new Map(),
    refused: new Map(),
    wrong: [],
    broken: 0,
    noticed: 0,
  };
  const schemas = createSchemaSet();
  for (const tool of catalog.tools.map(createOpenTool(catalog))) {
    const operation = operationDocument(document.json, tool.method, tool.path);
    const { values } = callsOf(tool, schemas, seed);
    if (values.length === 0)
      counts.wrong.push(`${document.name}: no arguments were found for ${tool.method} ${tool.path}`);
    for (const drawn of values) await judgeCall(tool, operation, drawn, mock, counts);
  }
  await mock.close();
  const isBlind = counts.broken > 0 && counts.noticed === 0;
  if (isBlind) counts.wrong.push(`${document.name}: the mock accepts broken bodies, too`);
  return {
    name: document.name,
    version: String(document.json.openapi ?? document.json.swagger),
    operations: catalog.tools.length + catalog.leftOut.length,
    tools: catalog.tools.length,
    ...counts,
    seconds: (performance.now() - started) / 1000,
  };
}

interface Counts {
  calls: number;
  filled: number;
  accepted: number;
  readonly unread: Map<Unread, number>;
  readonly refused: Map<string, string[]>;
  readonly wrong: string[];
  /** Requests that were sent once more with a body that no schema of an object admits, and those of them that the mock refused. */
  broken: number;
  noticed: number;
}

async function judgeCall(
  tool: BridgeTool,
  operation: OperationDocument,
  drawn: JsonObject,
  mock: Mock,
  counts: Counts,
) {
  const { baseURL: _, ...request } = tool.request;
  const given = withTexts(tool, drawn);
  counts.calls++;
  if (given !== drawn) counts.filled++;
  const { target, objection, broken } = targetOf(mock);
  await invokeOperation({ ...tool, request }, given, target);
  const said = await objection();
  if (said === undefined) {
    counts.accepted++;
    const noticed = counts.broken < BROKEN ? await broken() : undefined;
    if (noticed !== undefined) counts.broken++;
    if (noticed === true) counts.noticed++;
    return;
  }
  const reason = unreadIn(tool, operation, given);
  if (reason !== undefined) counts.unread.set(reason, (counts.unread.get(reason) ?? 0) + 1);
  else {
    const call = `${tool.method} ${tool.path} ${JSON.stringify(given).slice(0, 300)}`;
    counts.refused.set(said, [...(counts.refused.get(said) ?? []), call]);
  }
}

function totalOf(all: readonly Judged[]): Judged {
  const sum = (count: (one: Judged) => number) => all.reduce((total, one) => total + count(one), 0);
  const reasons = new Set(all.flatMap(({ unread }) => [...unread.keys()]));
  return {
    name: "all",
    version: `${all.length} of`,
    operations: sum(({ operations }) => operations),
    tools: sum(({ tools }) => tools),
    calls: sum(({ calls }) => calls),
    filled: sum(({ filled }) => filled),
    accepted: sum(({ accepted }) => accepted),
    unread: new Map([...reasons].map((reason) => [reason, sum(({ unread }) => unread.get(reason) ?? 0)])),
    refused: new Map(all.flatMap(({ refused }) => [...refused])),
    wrong: all.flatMap(({ wrong }) => wrong),
    seconds: sum(({ seconds }) => seconds),
  };
}

/** Of the calls that the mock reads. */
function shareOf({ calls, accepted, unread }: Judged): number {
  return accepted / Math.max(calls - countOf(unread), 1);
}

function countOf(unread: Judged["unread"]): number {
  return [...unread.values()].reduce((total, count) => total + count, 0);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

/**
 * Prism takes an empty text in a query for a parameter that was not sent, whatever its schema admits (OpenAPI 3.1.1 has it so only with
 * `allowEmptyValue`): such a text becomes another that its schema admits, where there is one.
 */
function withTexts({ inputSchema, request }: BridgeTool, given: JsonObject): JsonObject {
  const inQuery = request.parameters.filter((one) => one.in === "query").map(({ argument }) => argument);
  const filled = Object.entries(given).map(([name, value]) => [
    name,
    inQuery.includes(name) && value === "" ? "x" : value,
  ]);
  const changed = Object.fromEntries(filled);
  const isChanged = JSON.stringify(changed) !== JSON.stringify(given);
  return isChanged && checkSchema(inputSchema, changed).length === 0 ? changed : given;
}

/** Nothing but the mock is called, whatever a document says. */
function targetOf({ baseURL }: Mock) {
  let objection: Promise<string | undefined> = Promise.resolve("nothing was sent");
  let sent: { readonly url: string; readonly init: RequestInit } | undefined;
  const toMock: typeof fetch = async (url, init = {}) => {
    if (!String(url).startsWith(`${baseURL}/`)) throw new Error(`${url} is not the mock`);
    sent = { url: String(url), init };
    const answer = await fetch(url, init);
    objection = objectionIn(answer.clone());
    return answer;
  };
  const target: BridgeTarget = {
    ...{ baseURL, timeout: 10_000, headers: {}, fetch: toMock },
    check: checkSchema,
    signal: new AbortController().signal,
  };
  /** Whether the mock notices a list in place of a JSON object; undefined: there was none. */
  const broken = async (): Promise<boolean | undefined> => {
    if (typeof sent?.init.body !== "string" || !sent.init.body.startsWith("{")) return undefined;
    return (await objectionIn(await fetch(sent.url, { ...sent.init, body: "[[]]" }))) !== undefined;
  };
  return { target, objection: () => objection, broken };
}

function describe(judged: Judged): string {
  const { name, version, operations, tools, calls, filled, accepted, unread, refused, seconds } = judged;
  const reasons = [...refused].map(([said, all]) => `  refused ${all.length}: ${said.slice(0, 300)}\n    ${all[0]}`);
  const rest = reasons.length > TOLD ? [`  and ${reasons.length - TOLD} others`] : [];
  const counts = [operations, tools, calls, filled, accepted, countOf(unread)].map(String);
  const cells = [name, version, ...counts, percent(shareOf(judged)), seconds.toFixed(1)];
  return [row(cells), ...reasons.slice(0, TOLD), ...rest].join("\n");
}

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => (index === 0 ? cell.padEnd(20) : cell.padStart(10))).join("  ");
}

function readArguments(given: readonly string[]) {
  const { positionals, values } = parseArgs({
    args: given.map((one) => one.replace(/^-(?=[a-z])/, "--")),
    allowPositionals: true,
    options: { seed: { type: "string", default: "42" }, only: { type: "string", default: "" } },
  });
  return { directories: positionals, seed: Number(values.seed), only: values.only };
}
