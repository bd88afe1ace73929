import { lruCache } from "../../kernel/lru-cache.ts";
import { isPlainName } from "../../kernel/plain-name.ts";

/** Characters of a URI that is kept. */
const LONGEST_URI = 8_000;
/** Characters of the URIs of one app together. */
const LIMIT = 4 * 1024 * 1024;

/**
 * Links to resources that upstreams gave their callers in results: they may be read though no list has them (MCP, Tools, Resource
 * Links). In this instance's memory; of an app with many links the oldest are forgotten.
 */
export interface GivenLinks {
  add(app: string, principal: string, uri: string): void;
  has(app: string, principal: string, uri: string): boolean;
}

export function createGivenLinks(): GivenLinks {
  /** By app: bounded by the configuration. */
  const byApp = new Map<string, ReturnType<typeof lruCache<string, number>>>();
  const keyOf = (principal: string, uri: string) => JSON.stringify([principal, uri]);
  return {
    add: (app, principal, uri) => {
      if (uri.length > LONGEST_URI || !isPlainName(uri)) return;
      const links = byApp.get(app) ?? lruCache<string, number>(LIMIT, (weight) => weight);
      byApp.set(app, links);
      const key = keyOf(principal, uri);
      links.put(key, key.length);
    },
    has: (app, principal, uri) => byApp.get(app)?.get(keyOf(principal, uri)) !== undefined,
  };
}
