import { isJsonObject } from "../../kernel/json.ts";
import { DocumentError, type DocumentProblem } from "./document-error.ts";
import { documentUri } from "./document-uri.ts";
import { parseText, SyntaxProblems } from "./parse-text.ts";
import { findReferenceSites, type ReferenceSites, type Resource } from "./reference-sites.ts";

/** Where a document stands and how others that it refers to are read. */
export interface DocumentSource {
  /** `https://…`, or `file://` with a path that may be relative; `INLINE` for a text inside of the configuration. */
  readonly uri: string;
  /** Rejects with a message for people. The text may come with the URI that it was found at in the end. */
  readonly read: (uri: string) => Promise<string | { readonly text: string; readonly uri: string }>;
}

export interface LoadedDocument {
  /** What references name it by. */
  readonly uri: string;
  /** What its own references are relative to. */
  readonly base: string;
  readonly text: string;
  readonly content: unknown;
  readonly sites: ReferenceSites;
}

export interface LoadedDocuments {
  /** In the order they were found, the root first. */
  readonly documents: readonly LoadedDocument[];
  /** Why a document that is referred to is not there, by URI. */
  readonly unread: ReadonlyMap<string, string>;
  /** Mistakes in the texts of documents that are referred to. */
  readonly problems: readonly DocumentProblem[];
}

const MAX_DOCUMENTS = 500;
/** Of all documents together. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_TIME = 60_000;
const CONCURRENCY = 8;

/** Reads every document that the root leads to, over however many others. None that cannot be read is an error yet. */
export async function loadDocuments(
  root: Omit<LoadedDocument, "sites">,
  read: DocumentSource["read"] | undefined,
): Promise<LoadedDocuments> {
  const identified = hasIdentifiers(root.content);
  const started = performance.now();
  const documents = [{ ...root, sites: findReferenceSites(root.content, identified) }];
  const unread = new Map<string, string>();
  const problems: DocumentProblem[] = [];
  const asked = new Set([root.uri]);
  let characters = root.text.length;

  async function load(uri: string): Promise<LoadedDocument | undefined> {
    const refused = refusal();
    if (refused !== undefined) return give(uri, refused);
    try {
      const { text, uri: base } = await textOf(uri);
      characters += text.length;
      if (characters > MAX_CHARACTERS)
        return give(uri, `is not read: all documents have over ${MAX_CHARACTERS} characters`);
      const content = parseText(text);
      return { uri, base, text, content, sites: findReferenceSites(content, identified) };
    } catch (cause) {
      if (cause instanceof SyntaxProblems || cause instanceof DocumentError) {
        const found = cause instanceof SyntaxProblems ? cause.problems : [cause.problem];
        problems.push(...found.map((problem) => ({ ...problem, document: uri })));
        return give(uri, reasonOf(found[0]));
      }
      return give(uri, cause instanceof Error ? cause.message : "cannot be read");
    }
  }

  function refusal(): string | undefined {
    if (read === undefined) return "is not read: only the document itself is";
    if (asked.size > MAX_DOCUMENTS) return `is not read: there are over ${MAX_DOCUMENTS} documents`;
    if (performance.now() - started > MAX_TIME)
      return `is not read: all documents took over ${MAX_TIME / 1000} seconds`;
    return undefined;
  }

  async function textOf(uri: string): Promise<{ readonly text: string; readonly uri: string }> {
    const answer = await (read as DocumentSource["read"])(uri);
    return typeof answer === "string" ? { text: answer, uri } : answer;
  }

  function give(uri: string, reason: string): undefined {
    unread.set(uri, reason);
  }

  for (let fresh: readonly LoadedDocument[] = documents; fresh.length > 0; ) {
    const known = identifiersOf(documents);
    const uris = fresh.flatMap((document) => outwardUris(document, known)).filter((uri) => !asked.has(uri));
    const wanted = [...new Set(uris)];
    for (const uri of wanted) asked.add(uri);
    const loaded: (LoadedDocument | undefined)[] = [];
    for (let at = 0; at < wanted.length; at += CONCURRENCY) {
      loaded.push(...(await Promise.all(wanted.slice(at, at + CONCURRENCY).map(load))));
    }
    fresh = loaded.filter((document) => document !== undefined);
    documents.push(...fresh);
  }
  return { documents, unread, problems };
}

function reasonOf(problem: DocumentProblem | undefined): string {
  const place = problem?.line === undefined ? "" : ` (line ${problem.line})`;
  return `${problem?.message ?? "is not usable"}${place}`;
}

/** Schemas have `$id` and anchors from OpenAPI 3.1 on (JSON Schema 2020-12). */
function hasIdentifiers(root: unknown): boolean {
  return isJsonObject(root) && root.swagger === undefined && !/^3\.0/.test(String(root.openapi));
}

/** By what documents and schemas call themselves (`$self`, `$id`). */
export function identifiersOf(
  documents: readonly LoadedDocument[],
): ReadonlyMap<string, { readonly document: LoadedDocument; readonly resource: Resource }> {
  return new Map(
    documents.flatMap((document) =>
      document.sites.resources.map(
        (resource) => [identifierOf(resource, document.base), { document, resource }] as const,
      ),
    ),
  );
}

/** The identifier of a schema or document, absolute as far as its surroundings are. */
export function identifierOf({ id, outer }: Resource, base: string): string {
  return absolute(id, outer === undefined ? base : identifierOf(outer, base));
}

/** What a reference names, without its fragment. Identifiers may be URIs that nothing can be read from. */
export function absolute(reference: string, base: string): string {
  const target = documentUri(reference, base);
  return "uri" in target ? target.uri : (reference.split("#", 1)[0] ?? "");
}

function outwardUris({ base, sites }: LoadedDocument, known: ReturnType<typeof identifiersOf>): readonly string[] {
  return sites.references.flatMap(({ holder, keyword, resource }) => {
    const reference = holder[keyword] as string;
    if (reference.startsWith("#")) return [];
    if (resource !== undefined && known.has(absolute(reference, identifierOf(resource, base)))) return [];
    const target = documentUri(reference, base);
    return "uri" in target && !known.has(target.uri) ? [target.uri] : [];
  });
}
