import type { RewriteRules } from "../wire/rewrite-rules.ts";
import type { Naming } from "./namespaced.ts";
import { wrapURI } from "./resource-uri.ts";
import { answerRules } from "./uri-places.ts";

/** What becomes of an app's answer to a request on the way to the agent. URIs of an app without a namespace stay as they are. */
export function rulesOf(app: Naming, method: string): RewriteRules {
  const names = app.namespace === "" ? {} : answerRules(method, (uri) => wrapURI(app, uri));
  return method === "resources/read" ? { ...names, set: [PRIVATE] } : names;
}

/** Whoever keeps an answer keeps it for the agent that got it: policies decide for each. */
const PRIVATE = { path: ["result", "cacheScope"], json: '"private"' };
