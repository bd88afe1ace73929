import type { RewriteRules } from "../wire/rewrite-rules.ts";
import type { Naming } from "./namespaced.ts";
import { wrapURI } from "./resource-uri.ts";
import { answerRules } from "./uri-places.ts";

/** What becomes of an app's answer to a request on the way to the agent; nothing where URIs stay as they are. */
export function rulesOf(app: Naming, method: string): RewriteRules {
  return app.namespace === "" ? {} : answerRules(method, (uri) => wrapURI(app, uri));
}
