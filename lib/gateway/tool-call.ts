import type { ConnectionWant } from "../connections/person-connections.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { McpLogLevel } from "../stores/mcp-sessions.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import type { AgentSide } from "../upstream/agent-side.ts";
import type { Identity } from "./identity.ts";

/** What policies may learn of an HTTP request; nothing is read of it before. */
export type HttpFacts = Pick<Request, "method" | "url" | "headers">;

/** One `tools/call` of an agent. */
export interface ToolCall {
  /** As the agent sees it. */
  readonly name: string;
  readonly arguments: unknown;
  /** Called by way of `call_tool`: the agent knows of no output schema. */
  readonly isWrapped?: boolean;
  /** The approval whose task makes the call: no other one is asked for. Absent: the agent makes it itself. */
  readonly task?: string | undefined;
  /** Undefined when the configuration asks for no authorization. */
  readonly identity: Identity | undefined;
  /** The access token that the identity was read from: only ever exchanged for another. */
  readonly token: string | undefined;
  readonly request: RequestContext;
  /** The HTTP request that it came with; policies may look at it. */
  readonly http: HttpFacts;
  /** Aborts when the agent gives up. */
  readonly signal: AbortSignal;
  /** What the session it belongs to is known by; absent: none. */
  readonly sessionId?: string | undefined;
  readonly reports: CallReports;
  /** Who calls, as an upstream MCP server learns of it. */
  readonly agent: AgentSide;
}

/** What the agent learns of a call while it goes on, if it asked for it. */
export interface CallReports {
  /** `progress` grows with each; `total` where it is known. */
  progress(report: { readonly progress: number; readonly total?: number; readonly message?: string }): void;
  /** @param logger the app */
  log(level: McpLogLevel, logger: string, data: JsonObject): void;
}

/** For calls that nobody listens to. */
export const NO_REPORTS: CallReports = {
  progress: () => undefined,
  log: () => undefined,
};

/** What the upstream learns of the caller: header fields for its request. */
export interface OutboundCredential {
  readonly headers: Readonly<Record<string, string>>;
  /** The token among them: exchanged for the agent's, or the person's own. */
  readonly token?: string;
  /** Whose own token it is; absent: it is exchanged, or there is none. */
  readonly want?: ConnectionWant;
}
