import { parseDuration } from "../duration.ts";
import { indexesOf, type Rule, type RuleContext } from "./rule.ts";

/**
 * Milliseconds that an upstream may take on Lambda. The function is ended at `timeout` of `serverless.yml`, and whoever is
 * ended waiting never completes the call's audit record; what is left is for the work before and after the call.
 */
export const LONGEST_UPSTREAM_TIMEOUT = 50_000;

const MCP_APPS: readonly unknown[] = ["mcpBridge", "mcpProxy"];

/** What a document may not say when it runs on Lambda. */
export const lambdaRules: Rule = (context) => {
  const { at, report } = context;
  for (const index of indexesOf(at("apps"))) timeoutRule(context, index);
  const sse = ["mcpProvider", "transports", "sse", "enabled"] as const;
  if (at(...sse) === true) {
    report(sse, "found true; accepted: false on Lambda, which cannot hold the stream of events open");
  }
};

function timeoutRule({ at, report, shown }: RuleContext, index: number): void {
  const path = ["apps", index, "upstream", "timeout"] as const;
  const timeout = at(...path);
  if (typeof timeout !== "string" || !MCP_APPS.includes(at("apps", index, "type"))) return;
  if ((parseDuration(timeout) ?? 0) > LONGEST_UPSTREAM_TIMEOUT) {
    report(path, `found ${shown(...path)}; accepted: at most 50s on Lambda`);
  }
}
