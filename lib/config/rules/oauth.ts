import { parseDuration } from "../duration.ts";
import { lengthOf, type Rule, type RuleContext, reportDuplicates } from "./rule.ts";

const OAUTH = ["mcpProvider", "authorization", "oauth"] as const;

/** The rules of `mcpProvider.authorization.oauth`. */
export const oauthRules: Rule = (context) => {
  const { at, report } = context;
  const servers = lengthOf(at(...OAUTH, "servers"));
  if (at(...OAUTH, "enabled") === true) {
    if (at(...OAUTH, "metadataPath") === undefined) {
      report(
        [...OAUTH, "metadataPath"],
        "required when OAuth is enabled; accepted: a path such as /.well-known/oauth-protected-resource",
      );
    }
    if (servers === 0) report([...OAUTH, "servers"], "required when OAuth is enabled; accepted: at least one server");
  }
  for (let index = 0; index < servers; index++) serverRules(context, index);
  prefixRules(context, servers);
};

function serverRules({ at, report, shown }: RuleContext, index: number): void {
  const validation = [...OAUTH, "servers", index, "tokenValidation"] as const;
  if (Array.isArray(at(...validation, "expectedAudiences")) && lengthOf(at(...validation, "expectedAudiences")) === 0) {
    report([...validation, "expectedAudiences"], "found an empty list; accepted: at least one audience");
  }
  const method = at(...validation, "method");
  if (method !== "introspection" && method !== "auto") return;
  for (const [key, accepted] of [
    ["clientID", "the client that introspects"],
    ["clientSecret", "its secret"],
    ["timeout", "a positive duration such as 5s"],
  ] as const) {
    const path = [...validation, "introspection", key];
    if (at(...path) === undefined) report(path, `required when method is ${method}; accepted: ${accepted}`);
  }
  const path = [...validation, "introspection", "timeout"] as const;
  const timeout = at(...path);
  if (typeof timeout === "string" && parseDuration(timeout) === 0) {
    report(path, `found ${shown(...path)}; accepted: a positive duration when method is ${method}`);
  }
}

/** Which server an opaque token goes to must be clear, or one server would see another's tokens (checklist 23). */
function prefixRules(context: RuleContext, servers: number): void {
  const prefixes: (string | number)[][] = [];
  let withoutPrefix = 0;
  for (let index = 0; index < servers; index++) {
    const validation = [...OAUTH, "servers", index, "tokenValidation"];
    const method = context.at(...validation, "method");
    if (method !== "introspection" && method !== "auto") continue;
    const path = [...validation, "introspection", "tokenPrefix"];
    prefixes.push(path);
    if (context.at(...path) !== undefined) continue;
    withoutPrefix++;
    if (withoutPrefix > 1) {
      context.report(
        path,
        "required: another server that introspects has no tokenPrefix; accepted: at most one without",
      );
    }
  }
  reportDuplicates(context, prefixes, "a token prefix");
}
