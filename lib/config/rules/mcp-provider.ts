import { parseDuration } from "../duration.ts";
import type { Path } from "../path.ts";
import { oauthRules } from "./oauth.ts";
import type { Rule, RuleContext } from "./rule.ts";

const TRANSPORTS = ["mcpProvider", "transports"] as const;

/** The required-when and must-be-positive rules of `mcpProvider`. */
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
  if (at(...stream, "session", "enabled") === true) {
    positive(context, [...stream, "session", "timeout"], "sessions are enabled");
    sessionHeader(context);
  }
}

/** Header fields that say something else already; one that carries session ids besides would be taken for both. */
const TAKEN =
  /^(accept.*|access-control-.*|authorization|cache-control|connection|content-.*|cookie|forwarded|host|keep-alive|last-event-id|mcp-(method|name|param-.*|protocol-version)|origin|proxy-.*|sec-.*|set-cookie|te|trailer|transfer-encoding|upgrade|vary|via|www-authenticate|x-forwarded-.*|x-request-id)$/i;

function sessionHeader({ at, report, shown }: RuleContext): void {
  const path = [...TRANSPORTS, "stream", "session", "headerName"] as const;
  const name = at(...path);
  if (typeof name !== "string" || !TAKEN.test(name)) return;
  report(path, `found ${shown(...path)}, which has a meaning of its own; accepted: a header such as Mcp-Session-Id`);
}

function sseRules(context: RuleContext): void {
  const { at, report } = context;
  const sse = [...TRANSPORTS, "sse"] as const;
  if (at(...sse, "keepAlive", "enabled") === true) {
    positive(context, [...sse, "keepAlive", "interval"], "keep-alive is enabled");
  }
  if (at(...sse, "enabled") !== true) return;
  for (const [key, example] of [
    ["path", "/sse"],
    ["messagePath", "/messages"],
  ] as const) {
    if (at(...sse, key) !== undefined) continue;
    report([...sse, key], `required when the SSE transport is enabled; accepted: a path such as ${example}`);
  }
}

function positive({ at, report, shown }: RuleContext, path: Path, when: string): void {
  const value = at(...path);
  if (typeof value === "string" && parseDuration(value) === 0) {
    report(path, `found ${shown(...path)}; accepted: a positive duration when ${when}`);
  }
}
