import type { CatalogTool } from "../../bridge/catalog.ts";
import { intentOf } from "./intent.ts";
import { plainWordsOf } from "./words.ts";

/** What a tool does to what it is about. */
export type Effect = "list" | "read" | "write" | "remove";

/** Methods that read by their definition (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "QUERY"]);

const LISTING: ReadonlySet<string> = new Set(["list", "search", "find", "query"]);

/** By the method, and by the first word where all is a POST. */
export function effectOf({ method, title, localName, path }: CatalogTool): Effect {
  const words = plainWordsOf(title ?? localName);
  if (SAFE.has(method)) return LISTING.has(words[0] ?? "") || words[1] === "all" ? "list" : "read";
  if (method === "DELETE" || intentOf(words.slice(0, 1)) === "remove") return "remove";
  return /\/_?(?:search|query|list|find|lookup)$/i.test(path) ? "read" : "write";
}

/** Whether a tool is about whoever calls it: `/user/repos`, `/me`, “for the authenticated user”. */
export function isAboutCaller({ title = "", localName, path }: CatalogTool): boolean {
  return (
    /(?:authenticated|current|signed.in|logged.in).user|whoami/i.test(`${title} ${localName}`) ||
    /^(?:\/api)?(?:\/v\d+)?\/(?:user|account)(?=\/[^{]|$)|\/(?:me|self)(?=\/|$)/i.test(path)
  );
}
