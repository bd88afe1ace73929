import type { SearchedFacts } from "./find-tools.ts";
import { intentOf } from "./intent.ts";
import { plainWordsOf } from "./words.ts";

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
