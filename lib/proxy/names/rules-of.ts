import type { RewriteRules } from "../wire/rewrite-rules.ts";
import type { Naming } from "./namespaced.ts";
import { wrapURI } from "./resource-uri.ts";
import { wrapTaskId } from "./task-id.ts";
import { taskPlacesInAnswer, taskPlacesInMessage } from "./task-places.ts";
import { uriPlacesInAnswer, uriPlacesInMessage } from "./uri-places.ts";

type Path = readonly string[];

/** What becomes of an app's answer to a request on the way to the agent. An app without a namespace keeps its URIs and ids of tasks. */
export function rulesOf(app: Naming, method: string): RewriteRules {
  const names = app.namespace === "" ? {} : wrapping(app, uriPlacesInAnswer(method), taskPlacesInAnswer(method));
  return method === "resources/read" ? { ...names, set: [PRIVATE] } : names;
}

/** Of what an upstream sends by itself, and of each of its `inputRequests` (MCP 2026-07-28, Multi Round-Trip Requests). */
export function messageRulesOf(app: Naming, method: string): RewriteRules {
  return app.namespace === "" ? {} : wrapping(app, uriPlacesInMessage(method), taskPlacesInMessage(method));
}

function wrapping(app: Naming, uris: readonly Path[], tasks: readonly Path[]): RewriteRules {
  const wrap = (uri: string) => wrapURI(app, uri);
  const wrapId = (id: string) => wrapTaskId(app, id);
  return { replace: [...uris.map((path) => ({ path, with: wrap })), ...tasks.map((path) => ({ path, with: wrapId }))] };
}

/** Whoever keeps an answer keeps it for the agent that got it: policies decide for each. */
const PRIVATE = { path: ["result", "cacheScope"], json: '"private"' };
