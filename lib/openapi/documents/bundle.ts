import type { JsonObject } from "../../kernel/json.ts";
import { BUNDLE, type Bundle, ORIGINAL_PLACE, placeOf, UNREAD, type UnreadReference } from "./bundle-shape.ts";
import { documentUri } from "./document-uri.ts";
import { absolute, identifierOf, identifiersOf, type LoadedDocument, type LoadedDocuments } from "./load-documents.ts";
import { encodeFragment, valueAt } from "./reference.ts";
import type { Anchor, ReferenceSite, Resource } from "./reference-sites.ts";

/**
 * Makes one document of many: the others stand under `BUNDLE`, and every reference that leads somewhere is a JSON
 * Pointer from the root. Changes the references in place. `keepPaths`: the root's `paths` will be converted, and references into
 * them lead to what they were.
 */
export function bundle({ documents, unread }: LoadedDocuments, keepPaths: boolean): JsonObject {
  const [root, ...others] = documents as readonly [LoadedDocument, ...LoadedDocument[]];
  const content = root.content as JsonObject;
  const context: Context = {
    converted: keepPaths ? root : undefined,
    places: new Map(documents.map((document, index) => [document, index === 0 ? "" : placeOf(index - 1)])),
    byUri: new Map(documents.map((document) => [document.uri, document])),
    byIdentifier: identifiersOf(documents),
    dynamic: dynamicAnchors(documents),
    reasons: unread,
    unread: [],
  };
  for (const document of documents) {
    for (const site of document.sites.references) rewrite(site, document, context);
  }
  const parts: Bundle = {
    contents: others.map(({ content }) => content),
    uris: others.map(({ uri }) => uri),
    unread: context.unread,
    ...(keepPaths && { original: { paths: content.paths } }),
  };
  const isAlone = others.length === 0 && context.unread.length === 0 && !keepPaths;
  return isAlone ? content : { ...content, [BUNDLE]: parts };
}

interface Context {
  readonly converted: LoadedDocument | undefined;
  readonly places: ReadonlyMap<LoadedDocument, string>;
  readonly byUri: ReadonlyMap<string, LoadedDocument>;
  readonly byIdentifier: ReturnType<typeof identifiersOf>;
  /** Places of the schemas with each `$dynamicAnchor`. */
  readonly dynamic: ReadonlyMap<string, readonly string[]>;
  /** Why a document is not there, by URI. */
  readonly reasons: ReadonlyMap<string, string>;
  /** Those that were met. */
  readonly unread: UnreadReference[];
}

function rewrite({ holder, keyword, resource }: ReferenceSite, document: LoadedDocument, context: Context): void {
  const reference = holder[keyword] as string;
  if (keyword === "$dynamicRef") rewriteDynamic(holder, reference, document, resource, context);
  else holder.$ref = rewritten(reference, document, resource, context);
}

function rewritten(
  reference: string,
  document: LoadedDocument,
  resource: Resource | undefined,
  context: Context,
): string {
  const hash = reference.indexOf("#");
  const fragment = hash < 0 ? "" : reference.slice(hash + 1);
  if (hash === 0) return target(document, resource, fragment, context);
  const identified =
    (resource && context.byIdentifier.get(absolute(reference, identifierOf(resource, document.base)))) ??
    context.byIdentifier.get(absolute(reference, document.base));
  if (identified !== undefined) return target(identified.document, identified.resource, fragment, context);
  const read = documentUri(reference, document.base);
  if ("refused" in read) return unread({ reference, reason: read.refused }, context);
  const { uri } = read;
  const found = context.byUri.get(uri);
  if (found !== undefined) return target(found, undefined, fragment, context);
  return unread({ reference, uri, reason: context.reasons.get(uri) ?? "is not there" }, context);
}

function unread(entry: UnreadReference, context: Context): string {
  return `${UNREAD}${context.unread.push(entry) - 1}`;
}

/** The pointer from the root, as a fragment. Inside of a schema with `$id`, `#` is that schema if the pointer leads somewhere in it. */
function target(document: LoadedDocument, resource: Resource | undefined, fragment: string, context: Context): string {
  const place = context.places.get(document) as string;
  if (fragment !== "" && !fragment.startsWith("/")) {
    const anchor = anchorOf(document, resource, fragment);
    return `#${place}${anchor === undefined ? `/${fragment}` : encodeFragment(anchor.pointer)}`;
  }
  if (document === context.converted && fragment.startsWith("/paths/")) return `#${ORIGINAL_PLACE}${fragment}`;
  const inner = resource === undefined ? "" : encodeFragment(resource.pointer);
  const isInside = inner !== "" && valueAt(document.content, inner + fragment) !== undefined;
  return `#${place}${isInside ? inner : ""}${fragment}`;
}

function anchorOf(document: LoadedDocument, resource: Resource | undefined, name: string): Anchor | undefined {
  const named = document.sites.anchors.filter((anchor) => anchor.name === name);
  return named.find((anchor) => anchor.resource?.pointer === resource?.pointer) ?? named[0];
}

/**
 * JSON Schema 2020-12 §8.2.3.2. Where only one schema can be meant, it is; where several could, depending on the way
 * that led there, the reference is dropped and the schema admits what any of them would.
 */
function rewriteDynamic(
  holder: Record<string, unknown>,
  reference: string,
  document: LoadedDocument,
  resource: Resource | undefined,
  context: Context,
): void {
  const name = reference.slice(reference.indexOf("#") + 1);
  const places = context.dynamic.get(name) ?? [];
  delete holder.$dynamicRef;
  if (holder.$ref !== undefined || places.length > 1) return;
  holder.$ref = places.length === 1 ? `#${places[0]}` : rewritten(reference, document, resource, context);
}

function dynamicAnchors(documents: readonly LoadedDocument[]): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const [index, { sites }] of documents.entries()) {
    for (const { name, pointer, dynamic } of sites.anchors) {
      if (!dynamic) continue;
      const place = (index === 0 ? "" : placeOf(index - 1)) + encodeFragment(pointer);
      places.set(name, [...(places.get(name) ?? []), place]);
    }
  }
  return places;
}
