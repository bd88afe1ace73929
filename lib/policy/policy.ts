import type { JsonObject } from "../json.ts";

/** What a policy learns of a call; the shape is in docs/policies.md. */
export interface PolicyInput {
  readonly request: {
    readonly http: {
      readonly method: string;
      readonly path: string;
      /** Names as `User-Agent`; several values of one are joined by commas. */
      readonly headers: Readonly<Record<string, string>>;
      readonly remoteAddress?: string;
    };
    readonly mcp: {
      readonly method: string;
      readonly app: string;
      /** As audit records name the session; absent: none. */
      readonly session?: string;
      readonly tool?: PolicyTool;
      /** What is to be listed, where `tool` is absent. */
      readonly tools?: readonly PolicyTool[];
      /** What is read or subscribed to of an upstream MCP server, by its own URI. */
      readonly resource?: { readonly uri: string };
      /** What is asked of an upstream MCP server, by its own name. */
      readonly prompt?: PolicyTool;
    };
  };
  /** Claims of the person, `sub` among them; empty when there is none. */
  readonly user: JsonObject;
  readonly agent: { readonly clientID?: string };
  readonly token: { readonly claims: JsonObject };
}

export interface PolicyTool {
  readonly params: {
    /** Without the app's namespace. */
    readonly name: string;
    /** Absent when tools are listed. */
    readonly arguments?: unknown;
  };
}

/** What a policy says. Whoever fails to decide denies: `failure` is a short code for the log, `message` is for the agent. */
export type Decision =
  | { readonly outcome: "allowed" }
  | { readonly outcome: "denied"; readonly message?: string }
  | { readonly outcome: "failed"; readonly failure: string };

export const ALLOWED: Decision = { outcome: "allowed" };
export const DENIED: Decision = { outcome: "denied" };

export function failed(failure: string): Decision {
  return { outcome: "failed", failure };
}

/** Decides on one call, here and now. */
export interface CelPolicy {
  readonly engine: "cel";
  /** Names it in logs, audit records and metrics. */
  readonly name: string;
  /** It does not read the arguments of a call, so that it can tell beforehand. */
  readonly decidesOnListing: boolean;
  /** Never throws. */
  readonly decide: (input: PolicyInput) => Decision;
}

/** Asks a server. */
export interface OpaPolicy {
  readonly engine: "opa";
  readonly name: string;
  readonly decidesOnListing: boolean;
  /** The caller's `Authorization` header is a part of its input. */
  readonly seesToken: boolean;
  /** Never rejects. */
  readonly decide: (input: PolicyInput) => Promise<Decision>;
  /** Names of the tools in the input that may be listed. Never rejects. */
  readonly list: (input: PolicyInput) => Promise<Decision | ReadonlySet<string>>;
}

export type Policy = CelPolicy | OpaPolicy;
