import type { JsonObject } from "../json.ts";
import type { Catalog, CatalogTool, LeftOutOperation, LeftOutReason, ToolDetails } from "./catalog.ts";
import type { Curator } from "./curation.ts";
import type { DocumentProblem } from "./openapi/document-error.ts";
import { createFlawList } from "./openapi/flaws.ts";
import {
  invalidOperation,
  problemsOfInput,
  problemsOfOutput,
  problemText,
  withoutOutput,
} from "./openapi/invalid-operation.ts";
import { listOperations, type Operation } from "./openapi/operations.ts";
import { unsupportedBody } from "./openapi/request-body.ts";
import { askedSchemes, requirementsOf } from "./openapi/security.ts";
import { ownServerURL } from "./openapi/servers.ts";
import { createSchemaExtractor } from "./openapi/standalone-schema.ts";
import { localNames, type OperationContext, toolFromOperation } from "./openapi/tool.ts";
import { misplacedParameters, unsupportedParameter } from "./openapi/unsupported-parameter.ts";
import { otherServersOf } from "./other-servers.ts";
import { shareParts } from "./share-parts.ts";

export interface CompiledOperations {
  readonly catalog: Catalog;
  /** False: every operation is invalid. */
  readonly isUsable: boolean;
  /** What is wrong with operations that are left out. */
  readonly invalid: readonly DocumentProblem[];
  /** What is wrong with what operations answer. */
  readonly noted: readonly DocumentProblem[];
}

/**
 * Makes a tool of every operation that the curator keeps, or lists it as left out.
 * @param servers what the servers of operations are relative to; undefined: they are not used
 */
export async function compileOperations(
  context: Omit<OperationContext, "schemas">,
  curator: Curator,
  servers: Parameters<typeof ownServerURL>[1] | undefined,
): Promise<CompiledOperations> {
  const { document, problems, notes, security } = context;
  const tools = new Map<string, CatalogTool>();
  const leftOut: LeftOutOperation[] = [];
  const invalid: (readonly DocumentProblem[])[] = [];
  const noted: (readonly DocumentProblem[])[] = [];
  const flawList = createFlawList();
  const operations = listOperations(document, problems, curator.keeps);
  const names = await localNames(operations);
  const schemas = {
    input: createSchemaExtractor(document, "request", problems),
    output: createSchemaExtractor(document, "response", notes),
  };
  for (const [index, listed] of operations.entries()) {
    const name = names[index] as string;
    const baseURL = servers && ownServerURL(listed.servers, servers);
    const operation = { ...listed, ...(baseURL !== undefined && { baseURL }) };
    const [end, endNotes] = [problems.apart(), notes.apart()];
    const result = await toolFromOperation(operation, name, { ...context, schemas });
    const [found, ofAnswers] = [
      [...operation.problems, ...end(), ...problemsOfInput(result, schemas.input)],
      endNotes(),
    ];
    noted.push(ofAnswers);
    if (found.length > 0) {
      invalid.push(found);
      leftOut.push(invalidOperation(document, operation, name, found));
    } else if (typeof result === "string" || tools.has(result.name)) {
      const reason = typeof result === "string" ? result : "duplicate operation";
      leftOut.push(leftOutOperation(document, security.withoutProvided(operation), name, reason));
    } else {
      const ofDefinitions = problemsOfOutput(result, schemas.output);
      tools.set(result.name, ofDefinitions.length === 0 ? result : withoutOutput(result));
      const wrong = [...ofAnswers, ...ofDefinitions].map((problem) => problemText(document, problem));
      flawList.note("output schema", operation, wrong);
      flawList.note("argument", operation, misplacedParameters(operation));
    }
  }
  const compiled = { tools: [...tools.values()], leftOut, schemas, flaws: flawList.flaws };
  const catalog = await catalogOf(compiled, context, curator);
  const isUsable = invalid.length === 0 || invalid.length < operations.length;
  return { catalog, isUsable, invalid: invalid.flat(), noted: noted.flat() };
}

async function catalogOf(
  compiled: Pick<OperationContext, "schemas"> & Required<Pick<Catalog, "tools" | "leftOut" | "flaws">>,
  { prefix, security }: Omit<OperationContext, "schemas">,
  curator: Curator,
): Promise<Catalog> {
  const { tools, leftOut, schemas, flaws } = compiled;
  const details = tools.map((tool) => JSON.parse(tool.details) as ToolDetails);
  const definitions = {
    input: schemas.input.definitionsOf(details.map(({ inputSchema }) => inputSchema)),
    output: schemas.output.definitionsOf(details.map(({ outputSchema }) => outputSchema)),
  };
  const curated = await curator.override(tools, prefix);
  const requirements = requirementsOf(curated, details);
  const otherServers = otherServersOf(curated, details);
  const { excluded } = curator.findings();
  return shareParts({
    tools: curated,
    definitions,
    securitySchemes: askedSchemes(requirements, security.defined),
    ...(requirements.length > 0 && { security: requirements }),
    ...(otherServers.length > 0 && { otherServers }),
    ...(excluded > 0 && { excluded }),
    ...(flaws.length > 0 && { flaws }),
    leftOut,
  });
}

function leftOutOperation(
  document: JsonObject,
  operation: Operation,
  localName: string,
  reason: LeftOutReason,
): LeftOutOperation {
  const detail = detailOf(document, operation, reason);
  return {
    operation: `${operation.method} ${operation.path}`,
    localName,
    reason,
    ...(detail !== undefined && { detail }),
  };
}

function detailOf(document: JsonObject, operation: Operation, reason: LeftOutReason): string | undefined {
  if (reason === "unsupported request body") return unsupportedBody(document, operation);
  return reason === "unsupported parameter location" ? unsupportedParameter(operation) : undefined;
}
