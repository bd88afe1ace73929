import type { Catalog, ToolAnnotations } from "../openapi/catalog.ts";
import { argumentNames } from "../openapi/catalog-texts.ts";
import { prose } from "../openapi/summary.ts";
import { intentOf } from "./intent.ts";
import { plainWordsOf } from "./words.ts";

/** What of a tool is searched. */
export interface SearchedTool {
  readonly tool: SearchedFacts;
  readonly app: {
    readonly name: string;
    /** Of a REST API. */
    readonly catalog?: Pick<Catalog, "topics" | "parts">;
  };
}

/** What is known of a tool. Operations of REST APIs have a method and a path. */
export interface SearchedFacts {
  /** The name agents see. */
  readonly name: string;
  /** Without the namespace of its app. */
  readonly localName: string;
  readonly title?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly annotations: ToolAnnotations;
  readonly method?: string;
  readonly path?: string;
  /** As `CatalogTool` has them. */
  readonly details?: string;
}

/** The parts of a tool that a search reads, as text. */
export interface ToolText {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly path: string;
  /** The last part of the path that is no argument: what the tool is about. */
  readonly resource: string;
  readonly app: string;
  /** The document's tags. */
  readonly tags: string;
  /** What the HTTP method does, in plain words. */
  readonly verbs: string;
  /** What the document says of the tags. */
  readonly topics: string;
  /** Names of arguments. */
  readonly arguments: string;
  /** What the description goes on with. */
  readonly remarks: string;
}

/** How much of a description counts: what follows is about tokens and exceptions. */
const DESCRIPTION = 300;
/** And with what follows, how much counts at all. */
const REMARKS = 1_000;
/** Characters of the names of arguments, and of what is said of tags. */
const MORE = 600;

export function toolText({ tool, app }: SearchedTool): ToolText {
  const { localName, title, description = "", method = "", path = "", tags = [], details = "{}" } = tool;
  const { topics = {}, parts = [] } = app.catalog ?? {};
  const text = prose(description);
  const last = path.slice(path.lastIndexOf("/"));
  return {
    name: localName,
    title: title ?? localName,
    description: text.slice(0, DESCRIPTION),
    arguments: argumentNames(details, parts).join(" ").slice(0, MORE),
    remarks: text.slice(DESCRIPTION, REMARKS),
    resource: path.split("/").findLast((part) => part !== "" && !part.includes("{")) ?? "",
    path: path.replaceAll(/\{[^{}]*\}/g, " "),
    app: app.name,
    tags: tags.join(" "),
    topics: tags
      .map((tag) => (Object.hasOwn(topics, tag) ? topics[tag] : ""))
      .join(" ")
      .slice(0, MORE),
    // What MCP servers say of their tools is in their own words.
    verbs: last.endsWith("}") || method !== "GET" ? (VERBS[method] ?? "") : "get list show read",
  };
}

const VERBS: Readonly<Record<string, string>> = {
  GET: "get show read",
  HEAD: "check",
  POST: "create add new",
  PUT: "set update replace add",
  PATCH: "update change edit",
  DELETE: "delete remove",
};

/** What a tool does to what it is about; `unknown` where nothing tells. */
export type Effect = "list" | "read" | "write" | "remove" | "unknown";

/** Methods that read by their definition (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "QUERY"]);

const LISTING: ReadonlySet<string> = new Set(["list", "search", "find", "query"]);

/** By the method, and by the first word where all is a POST; of a tool without a method by what it says of itself. */
export function effectOf(tool: SearchedFacts): Effect {
  const { method, title, localName, path = "" } = tool;
  const words = plainWordsOf(title ?? localName);
  if (method === undefined) return hintedEffect(tool, words);
  if (SAFE.has(method)) return LISTING.has(words[0] ?? "") || words[1] === "all" ? "list" : "read";
  if (method === "DELETE" || intentOf(words.slice(0, 1)) === "remove") return "remove";
  return /\/_?(?:search|query|list|find|lookup)$/i.test(path) ? "read" : "write";
}

/** `destructiveHint` says nothing here: what changes a thing has it as well as what takes it away. */
function hintedEffect({ annotations }: SearchedFacts, words: readonly string[]): Effect {
  const { readOnlyHint } = annotations;
  const intent = intentOf(words.slice(0, 1));
  if (readOnlyHint !== false && (LISTING.has(words[0] ?? "") || (readOnlyHint && words[1] === "all"))) return "list";
  if (readOnlyHint === true) return "read";
  if (intent === "remove") return "remove";
  if (readOnlyHint === false || intent === "write" || intent === "end") return "write";
  return intent === "read" ? "read" : "unknown";
}

/** Whether a tool is about whoever calls it: `/user/repos`, `/me`, “for the authenticated user”. */
export function isAboutCaller({ title = "", localName, path = "" }: SearchedFacts): boolean {
  return (
    /(?:authenticated|current|signed.in|logged.in).user|whoami/i.test(`${title} ${localName}`) ||
    /^(?:\/api)?(?:\/v\d+)?\/(?:user|account)(?=\/[^{]|$)|\/(?:me|self)(?=\/|$)/i.test(path)
  );
}
