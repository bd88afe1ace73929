import type { Result, Router } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";

const METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Hono's router, which remembers what it found for the paths of routes without parameters: those of MCP and of tokens among them. Where
 * one route has a parameter in which another one has a word, as `/connect/:id` and `/connect/callback/:connector`, Hono looks each
 * request up in a tree, which takes several times as long.
 */
export function rememberingLiteralPaths<T>(): Router<T> {
  const router = new SmartRouter<T>({ routers: [new RegExpRouter<T>(), new TrieRouter<T>()] });
  // By path and method. Only paths of routes and known methods have a place, so that callers cannot make it grow.
  const found = new Map<string, Map<string, Result<T>>>();
  return {
    name: "LiteralPaths",
    add: (method, path, handler) => {
      router.add(method, path, handler);
      found.set(path, new Map());
    },
    match: (method, path) => {
      const ofPath = found.get(path);
      const known = ofPath?.get(method);
      if (known !== undefined) return known;
      const result = router.match(method, path);
      if (METHODS.includes(method)) ofPath?.set(method, result);
      return result;
    },
  };
}
