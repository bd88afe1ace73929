import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, visit } from "yaml";
import { type ConfigurationMessage, inTextOrder } from "./messages.ts";
import { type Path, pathText, placesOf, valueAt } from "./path.ts";
import { insteadOf, OIDC_ALIASES } from "./schema/other-products.ts";
import { isMergeKey } from "./yaml/aliases.ts";
import { editableDocument, printed } from "./yaml/editable.ts";
import { readYaml } from "./yaml/read.ts";

/** A file of a comparable product, rewritten. */
export interface Migration {
  /** The new document, with the comments of what stayed. */
  readonly text: string;
  /** The same without keys that this product refuses: what else is to be said about it can be found out. */
  readonly withoutRefused: string;
  /** What was changed, at its place in the file. */
  readonly done: readonly ConfigurationMessage[];
  /** What means something else here although the key is the same, at its place in the file. */
  readonly left: readonly ConfigurationMessage[];
}

/**
 * Rewrites what has one meaning and a known counterpart here (D180). What decides who gets in, or what a token says, stays as it
 * is, so that the new document is refused until somebody has decided. Placeholders stay placeholders.
 *
 * @param file how messages call the file
 */
export function migrate(text: string, file: string): Migration | { readonly errors: readonly ConfigurationMessage[] } {
  const { document: plain, errors } = readYaml(text, file);
  if (plain === undefined || errors.length > 0) return { errors };
  const lines = new LineCounter();
  const document = editableDocument(text, lines);
  const messages = { done: [] as ConfigurationMessage[], left: [] as ConfigurationMessage[] };
  const note = (kind: keyof typeof messages) => (path: Path, message: string) => {
    const [line, column] = positionOf(document, path, lines);
    messages[kind].push({ file, line, column, path: pathText(path), message });
  };
  // Before anything is taken out, as places are looked up in the document.
  noteOtherMeanings(plain, note("left"));
  const tree: Tree = { document, merged: mergedAnchors(document) };
  const edit: Edit = { ...tree, plain, done: note("done"), left: note("left") };
  for (const step of STEPS) step(edit);
  return {
    ...{ text: printed(document), withoutRefused: withoutRefused(tree) },
    ...{ done: messages.done.sort(inTextOrder), left: messages.left.sort(inTextOrder) },
  };
}

interface Tree {
  readonly document: Document;
  /** Anchors of what is merged into others. */
  readonly merged: ReadonlySet<string>;
}
interface Edit extends Tree {
  /** The file as plain data, which no step changes: null where a placeholder stands. */
  readonly plain: unknown;
  readonly done: (path: Path, message: string) => void;
  readonly left: (path: Path, message: string) => void;
}

/** Keys that mean nothing here. */
const REMOVED: readonly (readonly [pattern: Path, why: string])[] = [
  ...["read", "write", "idle", "endpoint"].map(
    (what) => [["http", `${what}TimeoutSeconds`], "the server has timeouts of its own"] as const,
  ),
  [["features"], "nothing here is turned on by it"],
  [["session", "store"], "sessions live in the store, and any instance serves any session"],
  [["caches"], "state lives in the store; no cache and none of its secrets is needed"],
  [["oidcProvider", "cache"], "state lives in the store"],
  [["oidcProvider", "correlateSession"], "tokens belong to no session"],
];

const STEPS: readonly ((edit: Edit) => void)[] = [
  listenWhereItDid,
  removeWithoutEffect,
  removeCookieName,
  renameConnectorTypes,
  renameLoginRedirects,
  renameAlgorithms,
  removeGrants,
  removeSubjects,
];

/** Places of the pattern in the file that can be edited there. Others stay, and are told of when the document is checked. */
function placesIn(edit: Edit, pattern: Path): readonly Path[] {
  return placesOf(edit.plain, pattern).filter((path) => isEditable(edit, path));
}

/** Whether it is written there, and not repeated by an alias, neither as a whole nor in parts, nor merged into others. */
function isEditable(tree: Tree, path: Path): boolean {
  const { document } = tree;
  const parent = document.getIn(path.slice(0, -1), true);
  // What a merge brings is written elsewhere.
  if (!(isMap(parent) || isSeq(parent)) || !parent.has(path.at(-1))) return false;
  return !isRepeated(document.getIn(path, true)) && !isMerged(tree, path);
}

function isRepeated(node: unknown): boolean {
  let isRepeated = false;
  const Node = (_: unknown, { anchor }: { readonly anchor?: string }) => {
    isRepeated ||= anchor !== undefined;
  };
  visit(isNode(node) ? node : null, { Node });
  return isRepeated;
}

/** Beside the keys of whoever merges it, what is written there could mean something else. */
function isMerged({ document, merged }: Tree, path: Path): boolean {
  return path.some((_, length) => {
    const around = document.getIn(path.slice(0, length), true);
    return (isMap(around) || isSeq(around)) && around.anchor !== undefined && merged.has(around.anchor);
  });
}

/** The names of anchors that are behind a merge key. */
function mergedAnchors(document: Document): ReadonlySet<string> {
  const anchors = new Set<string>();
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isMergeKey(key)) return;
      visit(isNode(value) ? value : null, { Alias: (_, { source }) => void anchors.add(source) });
    },
  });
  return anchors;
}

const LISTENS = "0.0.0.0:9443";

/** The other product listens on every interface where nothing is written. */
function listenWhereItDid(edit: Edit): void {
  const { document, plain, done, left } = edit;
  if (!isMap(document.contents) || valueAt(plain, ["http", "address"]) !== undefined) return;
  const http = document.get("http", true);
  const isEmpty = valueAt(plain, ["http"]) === undefined && !isAlias(http);
  if (!isEmpty && !(isMap(http) && isEditable(edit, ["http"]))) {
    left(
      ["http"],
      `http.address cannot be added to it: where it is missing, it was ${LISTENS}, and here it is 127.0.0.1:8080`,
    );
    return;
  }
  done(["http"], `http.address written down: ${LISTENS}, which was the default; here it is 127.0.0.1:8080`);
  if (isMap(http)) http.set("address", LISTENS);
  else document.set("http", document.createNode({ address: LISTENS }));
}

function removeWithoutEffect(edit: Edit): void {
  for (const [pattern, why] of REMOVED)
    for (const path of placesIn(edit, pattern)) {
      edit.done(path, `removed: ${why}`);
      remove(edit.document, path);
    }
}

/** What stands above the first key is often about the whole file, so that it stays when the key goes. */
function remove(document: Document, path: Path): void {
  const first = firstKey(document);
  document.deleteIn(path);
  const next = firstKey(document);
  if (!isScalar(first) || !isScalar(next) || first === next) return;
  const comments = [first.commentBefore, next.commentBefore].filter((comment) => typeof comment === "string");
  if (comments.length > 0) next.commentBefore = comments.join("\n\n");
  next.spaceBefore = first.spaceBefore ?? false;
}

function firstKey({ contents }: Document): unknown {
  return isMap(contents) ? contents.items[0]?.key : undefined;
}

/** The default of the other product. Other hosts of the domain can set a cookie of this name (RFC 6265bis §4.1.3.2). */
function removeCookieName(edit: Edit): void {
  for (const path of placesIn(edit, ["session", "cookie", "name"])) {
    if (valueAt(edit.plain, path) !== "maverics_session") continue;
    edit.done(path, "removed: the cookie is __Host-countersign with SameSite=Lax; people sign in once more");
    edit.document.deleteIn(path);
  }
}

function renameConnectorTypes(edit: Edit): void {
  const { document, plain, done } = edit;
  for (const path of placesIn(edit, ["connectors", "*", "type"])) {
    const type = valueAt(plain, path);
    if (!OIDC_ALIASES.some((alias) => alias === type)) continue;
    done(path, `${String(type)} became oidc, with the same keys`);
    document.setIn(path, "oidc");
  }
}

/** People come back to the first of `oauthLoginRedirect.urls`, or else to `oauthRedirectURL`. */
function renameLoginRedirects(edit: Edit): void {
  const { document, plain, done, left } = edit;
  for (const path of placesIn(edit, ["connectors", "*", "oauthRedirectURL"])) {
    const redirect = [...path.slice(0, -1), "oauthLoginRedirect"];
    if (typeof valueAt(plain, [...redirect, "urls", 0]) === "string") {
      done(path, "removed: the first of oauthLoginRedirect.urls has precedence");
      document.deleteIn(path);
      continue;
    }
    const into = placeOfRedirect(edit, redirect);
    if (into === undefined) {
      left(path, "stays: what oauthLoginRedirect.urls is beside it cannot be seen here; keep one of the two");
      continue;
    }
    done(path, "became oauthLoginRedirect.urls");
    const url = document.getIn(path, true);
    document.deleteIn(path);
    document.setIn(into, document.createNode(into === redirect ? { urls: [url] } : [url]));
  }
}

/** Where the URL can be written as the first; undefined: something is there, or may be. */
function placeOfRedirect(edit: Edit, redirect: Path): Path | undefined {
  const { document, plain } = edit;
  const node = document.getIn(redirect, true);
  if (valueAt(plain, redirect) === undefined) return isRepeated(node) ? undefined : redirect;
  const path = [...redirect, "urls"];
  const urls = valueAt(plain, path);
  const isEmpty = urls === undefined || (Array.isArray(urls) && urls.length === 0);
  return isEmpty && isMap(node) && isEditable(edit, redirect) ? path : undefined;
}

function renameAlgorithms(edit: Edit): void {
  const { document, plain, done } = edit;
  for (const path of placesIn(edit, ["oidcProvider", "jwks", "*", "algorithm"])) {
    if (valueAt(plain, path) !== "RSA256") continue;
    done(path, "RSA256 became RS256");
    document.setIn(path, "RS256");
  }
}

function removeGrants(edit: Edit): void {
  const { document, plain, done } = edit;
  const places = placesIn(edit, ["apps", "*", "grantTypes", "*"]);
  // From the end, as each removal moves those behind it.
  for (const path of places.toReversed()) {
    const grant = valueAt(plain, path);
    if (typeof grant !== "string" || !/^(?:password|implicit_\w+)$/.test(grant)) continue;
    done(path, `removed: ${grant} is not served to anybody`);
    document.deleteIn(path);
  }
}

/** Only where it is without effect; other sources are refused when the document is checked. */
function removeSubjects(edit: Edit): void {
  const { document, plain, done } = edit;
  for (const path of placesIn(edit, ["apps", "*", "claimsMapping", "sub"])) {
    const idps = valueAt(plain, [...path.slice(0, 2), "authentication", "idps"]);
    const isOnly = Array.isArray(idps) && idps.length === 1 && typeof idps[0] === "string";
    if (!isOnly || valueAt(plain, path) !== `${idps[0]}.sub`) continue;
    done(path, "removed: sub is this instance's own id of a person; idp_sub can be mapped from the same claim");
    document.deleteIn(path);
  }
}

function noteOtherMeanings(plain: unknown, left: (path: Path, message: string) => void): void {
  if (valueAt(plain, ["oidcProvider"]) !== undefined) {
    left(
      ["oidcProvider"],
      "a person's sub is user_… here and no longer <idp url>|<sub>: services that match it need a mapped claim, or e-mail",
    );
  }
  for (const path of placesOf(plain, ["apps", "*", "claimsMapping"])) {
    left(path, "mapped claims are in access tokens here, too, and not in ID tokens and userinfo alone");
  }
}

/** Extensions and sections that are refused wherever they are, which hides every warning about the rest. */
function withoutRefused({ document, merged }: Tree): string {
  const copy = document.clone();
  // `readYaml` has counted what aliases expand to.
  const plain: unknown = copy.toJS({ maxAliasCount: -1 });
  for (const path of refusedPlaces(plain)) {
    if (isEditable({ document: copy, merged }, path)) copy.deleteIn(path);
  }
  return printed(copy);
}

function refusedPlaces(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  return entries.flatMap(([key, inner]) =>
    typeof key === "string" && insteadOf(key) !== undefined ? [[...path, key]] : refusedPlaces(inner, [...path, key]),
  );
}

/** Where the key at the path is written, or else the nearest one around it. */
function positionOf(document: Document, path: Path, lines: LineCounter): readonly [line: number, column: number] {
  const parent = document.getIn(path.slice(0, -1), true);
  const step = path.at(-1);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === step) : undefined;
  const node = pair?.key ?? document.getIn(path, true);
  const range = typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
  if (Array.isArray(range) && typeof range[0] === "number") {
    const { line, col } = lines.linePos(range[0]);
    return [Math.max(line, 1), Math.max(col, 1)];
  }
  return path.length === 0 ? [1, 1] : positionOf(document, path.slice(0, -1), lines);
}
