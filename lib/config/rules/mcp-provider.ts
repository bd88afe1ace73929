import { parseDuration } from "../duration.ts";
import type { Path } from "../path.ts";
import { LONGEST_TIMER } from "../schema/types.ts";
import { lengthOf, type Rule, type RuleContext, reportDuplicates } from "./rule.ts";

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

/**
 * Header fields that say something else already; one that carries session ids besides would be taken for both, and logged
 * or passed on for what it is taken for.
 */
const TAKEN =
  /^(accept.*|access-control-.*|authorization|baggage|cache-control|connection|content-.*|cookie|date|expect|forwarded|host|if-.*|keep-alive|last-event-id|location|mcp-(method|name|param-.*|protocol-version)|origin|pragma|proxy-.*|range|referer|retry-after|sec-.*|set-cookie|te|traceparent|tracestate|trailer|transfer-encoding|upgrade|user-agent|vary|via|www-authenticate|x-forwarded-.*|x-real-ip|x-request-id)$/i;
/** The same of answers, which carry the id too, and of this product's own requests and what proxies tell it. */
const TAKEN_TOO =
  /^(age|allow|alt-.*|clear-site-data|countersign-.*|cf-.*|cross-origin-.*|dpop|etag|link|max-forwards|nel|permissions-policy|priority|referrer-policy|refresh|report.*|server|server-timing|set-cookie2|strict-transport-security|x-(amz|amzn)-.*|x-content-type-options|x-frame-options)$/i;

function sessionHeader({ at, report, shown }: RuleContext): void {
  const path = [...TRANSPORTS, "stream", "session", "headerName"] as const;
  const name = at(...path);
  if (typeof name !== "string" || !(TAKEN.test(name) || TAKEN_TOO.test(name))) return;
  report(path, `found ${shown(...path)}, which has a meaning of its own; accepted: a header such as Mcp-Session-Id`);
}

function sseRules(context: RuleContext): void {
  const { at, report } = context;
  const sse = [...TRANSPORTS, "sse"] as const;
  if (at(...sse, "keepAlive", "enabled") === true) {
    const interval = [...sse, "keepAlive", "interval"] as const;
    positive(context, interval, "keep-alive is enabled");
    forTimer(context, interval);
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

/** A timer that is to wait for longer does not wait at all. */
function forTimer({ at, report, shown }: RuleContext, path: Path): void {
  const value = at(...path);
  if (typeof value !== "string" || (parseDuration(value) ?? 0) <= LONGEST_TIMER) return;
  report(path, `found ${shown(...path)}; accepted: at most 24 days, which is 576h`);
}

const OAUTH = ["mcpProvider", "authorization", "oauth"] as const;

/** The rules of `mcpProvider.authorization.oauth`. */
const oauthRules: Rule = (context) => {
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
