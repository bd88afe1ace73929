import type { Admission } from "../gateway/call-tool.ts";
import type { PolicyCaller } from "../gateway/decision/policy-input.ts";
import type { Identity } from "../gateway/identity.ts";
import type { HttpFacts } from "../gateway/tool-call.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { RpcRequest } from "../protocol/mcp/message.ts";
import type { McpLogLevel } from "../stores/mcp-sessions.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import type { AgentSession } from "../upstream/agent-side.ts";
import type { Forwarded } from "../upstream/answer.ts";
import type { Operations } from "./operations.ts";
import type { OpenAnswer, Outlet } from "./outlet.ts";
import type { Envelope } from "./stateless/envelope.ts";

/** What every message of an HTTP request inherits from it. */
export interface Caller {
  /** Undefined when the configuration asks for no authorization. */
  readonly identity: Identity | undefined;
  /** What the identity was read from; goes nowhere but into calls. */
  readonly token: string | undefined;
  readonly request: RequestContext;
  readonly http: HttpFacts;
  /** Aborts when the agent leaves. */
  readonly signal: AbortSignal;
  readonly operations: Operations;
  /** Whether the request would be accepted again now: its token may have been revoked since, the gateway turned off. */
  readonly isStillAuthorized: () => Promise<boolean>;
  /** Absent: the request stands for itself. */
  readonly session?: LiveSession | undefined;
  /** What the request tells of its sender; absent: it is of the session generation. */
  readonly envelope?: Envelope | undefined;
  /** The approval whose task makes the call of the message (D239); absent: the agent makes it itself. */
  readonly task?: string | undefined;
  /** The message as it was written; absent for batches. */
  readonly text?: string | undefined;
}

/** A session that the caller has proven to be in. */
export type LiveSession = AgentSession;

/** Whom policies are asked about, for a message of theirs. */
export function policyCaller(
  { id }: RpcRequest,
  { identity, http, operations, session }: Caller,
): PolicyCaller & Pick<Caller, "identity"> {
  return { identity, http, request: operations.contextOf(id), sessionId: session?.record.sessionHash };
}

/** What a request in work may tell its client before it is answered; nothing where the answer is not a stream. */
export type Notify = (method: string, params: Readonly<Record<string, unknown>>) => void;

/** What was decided on each tool call of a message. */
export type Admissions = ReadonlyMap<RpcRequest, Admission>;

/** How a request is carried out. */
export interface MethodContext extends Caller, Pick<Outlet, "relay" | "hears"> {
  readonly admissions: Admissions;
  readonly notify: Notify;
  /** Begins the answer of the request, whose bytes come one after another; another one when this one was withdrawn. */
  readonly openAnswer: () => OpenAnswer;
  /** What the client asked to be told; absent: nothing. */
  readonly logLevel: McpLogLevel | undefined;
}

/** What a method answers a request with: a result of ours, to which is added what the revision asks for, or what an upstream answered. */
export type MethodAnswer = { readonly kind: "result"; readonly result: JsonObject } | Forwarded;

export function resultAnswer(result: JsonObject): MethodAnswer {
  return { kind: "result", result };
}
