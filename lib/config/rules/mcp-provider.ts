import { parseDuration } from "../duration.ts";
import { oauthRules } from "./oauth.ts";
import type { Rule, RuleContext } from "./rule.ts";

const TRANSPORTS = ["mcpProvider", "transports"] as const;

/** The required-when and must-be-positive rules of `mcpProvider`, and transports that this version does not serve. */
export const mcpProviderRules: Rule = (context) => {
  streamRules(context);
  sseRules(context);
  oauthRules(context);
};

function streamRules(context: RuleContext): void {
  const { at, report } = context;
  const stream = [...TRANSPORTS, "stream"] as const;
  const [path, alias] = [at(...stream, "path"), at(...stream, "endpointPath")];
  if (at(...stream, "enabled") === true && path === undefined && alias === undefined) {
    report([...stream, "path"], "required when the stream transport is enabled; accepted: a path such as /mcp");
  }
  if (typeof path === "string" && typeof alias === "string" && path !== alias) {
    report([...stream, "endpointPath"], "found a value that differs from path; accepted: one of the two");
  }
  if (at(...stream, "session", "enabled") !== true) return;
  report([...stream, "session", "enabled"], "not supported by this version: stateful sessions; accepted: false");
  if (at(...stream, "session", "headerName") === "") {
    report([...stream, "session", "headerName"], "required when sessions are enabled; accepted: a header name");
  }
  positive(context, [...stream, "session", "timeout"], "sessions are enabled");
}

function sseRules(context: RuleContext): void {
  const { at, report } = context;
  const sse = [...TRANSPORTS, "sse"] as const;
  if (at(...sse, "keepAlive", "enabled") === true) {
    positive(context, [...sse, "keepAlive", "interval"], "keep-alive is enabled");
  }
  if (at(...sse, "enabled") !== true) return;
  // What else the transport would need is not asked for: it cannot be had.
  report([...sse, "enabled"], "not supported by this version: the legacy SSE transport; accepted: false");
}

function positive({ at, report, shown }: RuleContext, path: readonly string[], when: string): void {
  const value = at(...path);
  if (typeof value === "string" && parseDuration(value) === 0) {
    report(path, `found ${shown(...path)}; accepted: a positive duration when ${when}`);
  }
}
