import type { RequestContext } from "../dependencies.ts";
import type { HttpFacts } from "../gateway/gateway.ts";
import type { Identity } from "../gateway/identity.ts";
import type { PolicyCaller } from "../gateway/policy-input.ts";
import type { McpLogLevel, McpSessionRecord, SessionReference } from "../stores/mcp-sessions.ts";
import type { Admissions } from "./admit.ts";
import type { RpcRequest } from "./message.ts";
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
  /** The message as it was written; absent for batches. */
  readonly text?: string | undefined;
}

/** A session that the caller has proven to be in. */
export interface LiveSession {
  readonly reference: SessionReference;
  readonly record: McpSessionRecord;
}

/** Whom policies are asked about, for a message of theirs. */
export function policyCaller({ id }: RpcRequest, { identity, http, operations, session }: Caller): PolicyCaller {
  return { identity, http, request: operations.contextOf(id), sessionId: session?.record.sessionHash };
}

/** What a request in work may tell its client before it is answered; nothing where the answer is not a stream. */
export type Notify = (method: string, params: Readonly<Record<string, unknown>>) => void;

/** How a request is carried out. */
export interface MethodContext extends Caller, Pick<Outlet, "relay" | "hears"> {
  readonly admissions: Admissions;
  readonly notify: Notify;
  /** Begins the answer of the request, whose bytes come one after another; another one when this one was withdrawn. */
  readonly openAnswer: () => OpenAnswer;
  /** What the client asked to be told; absent: nothing. */
  readonly logLevel: McpLogLevel | undefined;
}
