import { invalidDocument, readSource } from "../../lib/config/document-source.ts";
import { valueAt } from "../../lib/config/path.ts";
import type { Catalog, CatalogTool } from "../../lib/openapi/catalog.ts";
import { type CompileResult, compileCatalog } from "../../lib/openapi/compile.ts";
import { createCurator, NO_CURATION } from "../../lib/openapi/curation.ts";
import type { NamedDocuments } from "./named-documents.ts";
import { type DocumentFacts, FILE, type LeftOut, type ToolFacts } from "./protocol.ts";
import { dataOf } from "./yaml-data.ts";

/** Every operation of a document, whatever a configuration offers of it. */
export interface WholeDocument {
  readonly compiled: Exclude<CompileResult, { readonly errors: unknown }>;
  readonly text: string;
  /** Names and tags of operations, by method and path. */
  readonly operations: ReadonlyMap<string, { readonly id?: string; readonly tags: readonly string[] }>;
}

/** @param spec `openapi.spec` of an app; undefined or without meaning: there are problems */
export async function wholeDocument(
  spec: unknown,
  documents: NamedDocuments,
): Promise<WholeDocument | { readonly problems: readonly string[] }> {
  const sources = { file: FILE, readDocument: documents.read };
  const source = await readSource(spec, [], sources);
  if ("problems" in source) return { problems: source.problems.map(({ message }) => message) };
  const operations = new Map<string, { readonly id?: string; readonly tags: readonly string[] }>();
  const curator = createCurator(NO_CURATION);
  const compiled = await compileCatalog(source.text, {
    app: "",
    namespace: { disabled: true },
    source: { uri: source.uri, read: documents.read },
    curator: {
      ...curator,
      keeps: (method, path, definition) => {
        const [id, tags] = [valueAt(definition, ["operationId"]), valueAt(definition, ["tags"])];
        const named = Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === "string") : [];
        operations.set(`${method} ${path}`, { ...(typeof id === "string" && { id }), tags: named });
        return curator.keeps(method, path, definition);
      },
    },
  });
  if ("errors" in compiled) {
    const { problems, elsewhere } = invalidDocument(compiled.errors, source, FILE);
    const there = elsewhere.map(
      ({ line, path, message }) => `Line ${line}: ${path === "" ? "" : `${path}: `}${message}`,
    );
    return { problems: [...problems.map(({ message }) => message), ...there] };
  }
  return { compiled, text: source.text, operations };
}

/** What a document would give as a REST API, before there is an app. */
export async function documentFacts(uri: string, documents: NamedDocuments): Promise<DocumentFacts> {
  const whole = await wholeDocument({ uri }, documents);
  if ("problems" in whole) return { tools: [], leftOut: [], schemes: [], problems: whole.problems };
  const { catalog, serverURL, schemes } = whole.compiled;
  const title = titleOf(whole.text);
  return {
    tools: catalog.tools.map((tool) => ({ ...factsOf(tool), name: tool.localName, operation: operationOf(tool) })),
    leftOut: leftOutOf(catalog),
    ...(title !== undefined && { title }),
    ...(serverURL !== undefined && { serverURL }),
    schemes: [...schemes].flatMap(([name, { kind }]) =>
      kind === "apiKey" || kind === "basic" || kind === "bearer" ? [{ name, kind }] : [],
    ),
    problems: [],
  };
}

/** Characters: to read a larger document once more for a name takes too long. */
const LONGEST_NAMED = 1_000_000;

function titleOf(text: string): string | undefined {
  const title = text.length > LONGEST_NAMED ? undefined : valueAt(dataOf(text), ["info", "title"]);
  return typeof title === "string" ? title : undefined;
}

/** `GET /books`, as `include` and `exclude` name it. */
export function operationOf({ method, path }: Pick<CatalogTool, "method" | "path">): string {
  return `${method} ${path}`;
}

export function factsOf({ title, description, annotations }: CatalogTool): ToolFacts {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    isReadOnly: annotations.readOnlyHint === true,
    isDestructive: annotations.destructiveHint === true,
  };
}

export function leftOutOf({ leftOut }: Catalog): readonly LeftOut[] {
  return leftOut.map(({ operation, reason, detail }) => ({
    operation,
    reason: detail === undefined ? reason : `${reason}: ${detail}`,
  }));
}
