import { lruCache } from "../../kernel/lru-cache.ts";
import { isPlainName } from "../../kernel/plain-name.ts";

/** Characters of a URI that is kept. */
const LONGEST_URI = 8_000;
/** Characters of one caller's URIs of an app, and of those of all callers. */
const LIMIT_OF_ONE = 64 * 1024;
const LIMIT = 4 * 1024 * 1024;

/**
 * Links to resources that upstreams gave their callers in results: they may be read though no list has them (MCP, Tools, Resource
 * Links). In this instance's memory. A caller with many links loses its own oldest; of an app with many callers, those who got
 * none for longest lose theirs.
 */
export interface GivenLinks {
  add(app: string, principal: string, uri: string): void;
  has(app: string, principal: string, uri: string): boolean;
}

/** The links of a caller, oldest first. */
interface Links {
  readonly uris: Set<string>;
  weight: number;
}

export function createGivenLinks(): GivenLinks {
  /** By app: bounded by the configuration. */
  const byApp = new Map<string, ReturnType<typeof lruCache<string, Links>>>();
  return {
    add: (app, principal, uri) => {
      if (uri.length > LONGEST_URI || !isPlainName(uri)) return;
      const callers = byApp.get(app) ?? lruCache<string, Links>(LIMIT, ({ weight }) => weight);
      byApp.set(app, callers);
      const links = callers.get(principal) ?? { uris: new Set(), weight: principal.length };
      // Its weight changes: what is kept with one weight has to go with the same.
      callers.delete(principal);
      addLink(links, uri);
      callers.put(principal, links);
    },
    has: (app, principal, uri) => byApp.get(app)?.get(principal)?.uris.has(uri) === true,
  };
}

function addLink(links: Links, uri: string): void {
  if (!links.uris.delete(uri)) links.weight += weightOf(uri);
  links.uris.add(uri);
  for (const oldest of links.uris) {
    if (links.weight <= LIMIT_OF_ONE) return;
    links.uris.delete(oldest);
    links.weight -= weightOf(oldest);
  }
}

/** Short ones are not free. */
function weightOf(uri: string): number {
  return uri.length + 64;
}
