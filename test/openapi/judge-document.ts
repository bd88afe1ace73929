import type { BridgeTool, Catalog } from "../../lib/openapi/catalog.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { type BridgeTarget, invokeOperation } from "../../lib/openapi/invoke.ts";
import { createOpenTool } from "../../lib/openapi/open-tool.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { callsOf } from "./calls.ts";
import { checkTool } from "./client-check.ts";
import type { CorpusDocument } from "./documents.ts";
import { type Exception, UNSATISFIABLE } from "./exceptions.ts";
import { operationDocument } from "./receiver/operation-document.ts";
import type { Receiver } from "./receiver/server.ts";
import { isForm } from "./receiver/validator-app.ts";
import { verdictOn } from "./receiver/verdict.ts";
import { createSchemaSet, type SchemaSet } from "./sampler/schema-set.ts";
import { refusedBySDKs } from "./sdk-clients.ts";

/** One row of the table, and what is behind its numbers. */
export interface DocumentReport {
  readonly name: string;
  readonly version: string;
  readonly operations: number;
  readonly tools: readonly BridgeTool[];
  /** Undefined where the document does not compile. */
  readonly catalog: Catalog | undefined;
  /** `METHOD /path` by reason. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>;
  readonly calls: number;
  readonly right: number;
  /** Calls that the gateway refused although their arguments conform, with what it said. */
  readonly refused: readonly string[];
  /** Calls, by what of them the validator could not judge. */
  readonly exceptions: ReadonlyMap<Exception, number>;
  /** Arguments that no call had, because the sampler found no value for them. */
  readonly undrawn: readonly string[];
  /** Tools that failed, with the reason, and what else is wrong. */
  readonly failures: readonly string[];
  readonly seconds: number;
}

interface Counts {
  calls: number;
  right: number;
  readonly refused: string[];
  readonly undrawn: string[];
  readonly exceptions: Map<Exception, number>;
  readonly failures: string[];
}

/** Compiles a document and has the receiver judge calls of each of its tools. */
export async function judgeDocument(
  document: CorpusDocument,
  receiver: Receiver,
  seed: number,
): Promise<DocumentReport> {
  const started = performance.now();
  const counts: Counts = { calls: 0, right: 0, refused: [], undrawn: [], exceptions: new Map(), failures: [] };
  const result = await compileCatalog(document.text, { app: "app", namespace: { disabled: true } });
  const catalog = "catalog" in result ? result.catalog : undefined;
  if ("errors" in result) {
    counts.failures.push(
      `does not compile: ${result.errors.map(({ pointer, message }) => `${pointer} ${message}`).join("; ")}`,
    );
  }
  const tools = catalog === undefined ? [] : catalog.tools.map(createOpenTool(catalog));
  const schemas = createSchemaSet();
  for (const tool of tools) await judgeTool(tool, { document, receiver, schemas, seed }, counts);
  counts.failures.push(...(await refusedBySDKs(tools)));
  const leftOut = Map.groupBy(catalog?.leftOut ?? [], ({ reason }) => reason);
  return {
    name: document.name,
    version: String(document.json.openapi ?? document.json.swagger),
    operations: tools.length + (catalog?.leftOut.length ?? 0),
    tools,
    catalog,
    leftOut: new Map(
      [...leftOut].map(([reason, all]) => [reason, all.map(({ operation, detail }) => `${operation} ${detail ?? ""}`)]),
    ),
    ...counts,
    seconds: (performance.now() - started) / 1000,
  };
}

interface Judging {
  readonly document: CorpusDocument;
  readonly receiver: Receiver;
  readonly schemas: SchemaSet;
  readonly seed: number;
}

async function judgeTool(
  tool: BridgeTool,
  { document, receiver, schemas, seed }: Judging,
  counts: Counts,
): Promise<void> {
  const fail = (problem: string) => counts.failures.push(`${tool.method} ${tool.path}: ${problem}`);
  for (const problem of checkTool(tool)) fail(problem);
  const operation = operationDocument(document.json, tool.method, tool.path);
  const samples = callsOf(tool, schemas, seed);
  counts.undrawn.push(...samples.undrawn.map((argument) => `${tool.method} ${tool.path} ${argument}`));
  if (samples.values.length === 0) {
    if (!Object.hasOwn(UNSATISFIABLE, `${tool.method} ${tool.path}`))
      fail(`no arguments were found: ${samples.trouble}`);
    return;
  }
  receiver.expect(operation, isForm(tool.request.body?.contentType ?? ""));
  const target = targetOf(receiver);
  for (const given of samples.values) {
    counts.calls++;
    const { baseURL: _, ...request } = tool.request;
    const { result, reason } = await invokeOperation({ ...tool, request }, given, target);
    const [arrival] = receiver.take();
    const example = JSON.stringify(given).slice(0, 300);
    if (arrival === undefined && reason === "invalid_arguments") {
      counts.refused.push(`${tool.method} ${tool.path}: ${JSON.stringify(result.content)} ${example}`);
    } else if (arrival === undefined) {
      fail(`nothing arrived: ${JSON.stringify(result.content)} ${example}`);
    } else {
      const { problems, exceptions } = verdictOn(operation, tool, given, arrival);
      for (const exception of exceptions) counts.exceptions.set(exception, (counts.exceptions.get(exception) ?? 0) + 1);
      if (problems.length === 0) counts.right++;
      else fail(problems.join("; "));
    }
  }
}

/** Nothing but the receiver is called, whatever a document says. */
function targetOf({ baseURL }: Receiver): BridgeTarget {
  const toReceiver: typeof fetch = (url, init) => {
    if (!String(url).startsWith(`${baseURL}/`)) throw new Error(`${url} is not the receiver`);
    return fetch(url, init);
  };
  const signal = new AbortController().signal;
  return { baseURL, timeout: 10_000, headers: {}, fetch: toReceiver, check: createSchemaCheck(), signal };
}
