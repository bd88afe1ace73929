import type { Proxies } from "../gateway/proxied/proxies.ts";
import { type CalledToolPorts, calledTool } from "../gateway/search/called-tool.ts";
import type { ToolIndex } from "../gateway/tool-index.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { Attributes } from "../telemetry/attributes.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import type { RequestTelemetry, SenderTrace } from "../telemetry/telemetry.ts";
import { traceIdOf } from "../telemetry/trace-id.ts";
import { MAX_MESSAGES } from "./read-message.ts";

/** The messages of one HTTP request, as telemetry has them: an operation each, which ends with the answer. */
export interface Operations {
  /** The context of the message with this id: its telemetry is that of the operation, its trace the one that `_meta` names. */
  contextOf(id: string | number): RequestContext;
  /** The message failed: `tool_error`, or the code of a JSON-RPC error. Only the first word counts. */
  fail(id: string | number, errorType: string): void;
  /** The HTTP status of the answer, which says it for what had no answer of its own. */
  answered(status: number): void;
}

/**
 * Begins an operation for each request and notification in the message (semantic conventions, MCP server); for none where
 * there are more than one HTTP request may cause.
 */
export function startOperations(
  message: unknown,
  headers: Headers,
  { request: context }: { readonly request: RequestContext },
  ports: CalleePorts,
): Operations {
  const all: readonly unknown[] = Array.isArray(message) ? message : [message];
  if (all.length > MAX_MESSAGES) return noOperations(context);
  const messages = all.filter(isJsonObject);
  const traced = (id: string | number) => {
    const traceId = traceIdOf(metaOf(messages.find((one) => one.id === id)).traceparent);
    return traceId === undefined ? context : { ...context, traceId };
  };
  const { telemetry } = context;
  if (telemetry === undefined) return { ...noOperations(context), contextOf: traced };
  const operations = messages
    .filter((one) => typeof one.method === "string")
    .map((one) => startOperation(describe(one, headers, ports), telemetry));
  const find = (id: string | number) => operations.find((operation) => operation.id === id);
  return {
    contextOf: (id) => {
      const operation = find(id);
      return operation === undefined ? context : { ...traced(id), telemetry: operation.telemetry };
    },
    fail: (id, errorType) => find(id)?.fail(errorType),
    answered: (status) => {
      if (status >= 400) for (const { fail } of operations) fail(String(status));
    },
  };
}

/** For requests without messages, and where nothing is measured. */
export function noOperations(context: RequestContext): Operations {
  return { contextOf: () => context, fail: ignore, answered: ignore };
}

function ignore(): void {
  // Nothing is measured.
}

interface Description {
  readonly id: unknown;
  /** Method, and tool where there is one. */
  readonly name: string;
  readonly attributes: Attributes;
  readonly sender: SenderTrace;
}

function startOperation({ id, name, attributes, sender }: Description, telemetry: RequestTelemetry) {
  const beganAt = performance.now();
  const span = telemetry.span?.startChild({ name, kind: "server", sender });
  let errorType: string | undefined;
  telemetry.atEnd(() => {
    const outcome = { ...attributes, "error.type": errorType, "rpc.response.status_code": jsonRpcCode(errorType) };
    telemetry.record("mcp.server.operation.duration", (performance.now() - beganAt) / 1_000, outcome);
    span?.set(outcome);
    span?.end(errorType);
  });
  return {
    id,
    telemetry: { ...telemetry, span },
    fail: (type: string) => {
      errorType ??= type;
    },
  };
}

/** What a caller writes is told only where it is one of few words. */
function describe(message: JsonObject, headers: Headers, ports: CalleePorts): Description {
  const params = paramsOf(message);
  const meta = metaOf(message);
  const method = METHODS.find((known) => known === message.method) ?? "_OTHER";
  const isCall = method === "tools/call";
  const tool = isCall ? calleeOf(params, ports) : undefined;
  const version = meta["io.modelcontextprotocol/protocolVersion"] ?? headers.get("mcp-protocol-version");
  return {
    id: message.id,
    name: tool?.name === undefined ? method : `${method} ${tool.name}`,
    attributes: {
      "mcp.method.name": method,
      "mcp.protocol.version": REVISIONS.find((known) => known === (version ?? params.protocolVersion)),
      ...(isCall && { "gen_ai.operation.name": "execute_tool" }),
      ...(tool !== undefined && { "gen_ai.tool.name": tool.name, "countersign.app": tool.app }),
    },
    sender: { traceparent: textOf(meta.traceparent), tracestate: textOf(meta.tracestate) },
  };
}

function paramsOf(message: JsonObject | undefined): JsonObject {
  return isJsonObject(message?.params) ? message.params : {};
}

function metaOf(message: JsonObject | undefined): JsonObject {
  const { _meta } = paramsOf(message);
  return isJsonObject(_meta) ? _meta : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function jsonRpcCode(errorType: string | undefined): string | undefined {
  return errorType !== undefined && /^-\d+$/.test(errorType) ? errorType : undefined;
}

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/** What clients send, of every revision. */
const METHODS = [
  "completion/complete",
  "initialize",
  "logging/setLevel",
  "notifications/cancelled",
  "notifications/initialized",
  "notifications/progress",
  "notifications/roots/list_changed",
  "ping",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "resources/unsubscribe",
  "server/discover",
  "subscriptions/listen",
  "tools/call",
  "tools/list",
];

export interface CalleePorts extends CalledToolPorts {
  readonly tools: ToolIndex;
  readonly proxies: Pick<Proxies, "apps" | "catalogs">;
}

/** What `tools/call` is about, in words that are few: for telemetry. */
interface Callee {
  /** Absent: no list has it, so that the caller may have made it up. */
  readonly name?: string;
  readonly app?: string;
}

/** A tool that is called by way of another is the one that counts. No upstream is asked: what it listed before is known. */
function calleeOf(params: JsonObject, ports: CalleePorts): Callee | undefined {
  const called = calledTool(params, ports);
  if (called.kind === "none") return undefined;
  if (called.kind === "meta") return { name: called.name };
  const located = ports.tools.get(called.name);
  if (located !== undefined) return { name: located.tool.name, app: located.app.name };
  return proxiedCallee(called.name, ports);
}

/** The first app whose list has the name, else the only one whose namespace it has. */
function proxiedCallee(name: string, { proxies }: CalleePorts): Callee | undefined {
  const listing = proxies.apps.find((app) => proxies.catalogs.latest(app.name, "tools")?.byName.has(name));
  if (listing !== undefined) return { name, app: listing.name };
  const [named, second] = proxies.apps.filter(({ namespace }) => namespace !== "" && name.startsWith(namespace));
  return named !== undefined && second === undefined ? { app: named.name } : undefined;
}
