import type { JsonObject } from "../kernel/json.ts";
import type { RequestId } from "../protocol/mcp/message.ts";
import type { McpLogLevel, McpSessionRecord, SessionReference } from "../stores/mcp-sessions.ts";

/** A session of an agent that its caller has proven to be in. */
export interface AgentSession {
  readonly reference: SessionReference;
  readonly record: McpSessionRecord;
}

/** The agent behind one request, as upstream MCP servers get to know it, and how it is reached while the request runs. */
export interface AgentSide {
  readonly generation: "session" | "stateless";
  /** Of the agent's request; unique in its session. */
  readonly id: RequestId;
  /** Of the request or its session. */
  readonly protocolVersion: string;
  readonly clientInfo: JsonObject;
  readonly clientCapabilities: JsonObject;
  readonly logLevel: McpLogLevel | undefined;
  /** The agent's session; absent: each request stands alone. */
  readonly session?: AgentSession | undefined;
  /** What the agent wrote: also numbers that no double holds stringify as they came. */
  readonly params: () => JsonObject;
  /** Whether requests to the agent can be answered: it holds a stream, and its answers find this request. */
  readonly hearsRequests: boolean;
  /** A notification or request of the upstream goes out, in order with everything else; not where the answer is no stream. */
  readonly relay: (message: JsonObject) => void;
  /** Begins the answer to the agent's request, whose bytes come one after another. At most once. */
  readonly openAnswer: () => AnswerWriter & WrittenAnswer;
}

/** An answer that goes out while it arrives: a whole JSON-RPC message without line breaks. */
export interface AnswerWriter {
  /** Resolves when there is room for more; rejects when nobody reads any more. */
  write(chunk: Uint8Array): Promise<void>;
}

/** An answer that was written already and becomes one when it is committed, after what must be durable before. */
export interface WrittenAnswer {
  commit(): void;
  /** It is no answer after all: clients pass over what was written, and another answer follows. */
  withdraw(): void;
}
