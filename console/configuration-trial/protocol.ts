import type { ConfigurationDocument } from "../../lib/management/schemas/deployment.ts";

/** The two configurations that are compared. */
export interface TrialSubject {
  /** What the editor's worker compiled. */
  readonly draft: unknown;
  /** With its tools; undefined: there is nothing that could be compared. */
  readonly inUse: ConfigurationDocument | undefined;
}

/** An API client as far as its tokens tell of it. */
export interface TriedClient {
  readonly clientId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
}

/** Values for variables that decide, by their names. */
export type Variables = Readonly<Record<string, string>>;

export type Caller =
  | { readonly kind: "client"; readonly client: TriedClient }
  /** JSON text of the claims of an agent's token. */
  | { readonly kind: "claims"; readonly claims: string };

export interface TriedCall {
  readonly caller: Caller;
  /** As agents see it. */
  readonly tool: string;
  /** JSON text, as the agent writes it. */
  readonly arguments: string;
}

/** One thing that the page asks the worker for; `load` is the first. */
export type TrialRequest =
  | { readonly kind: "load"; readonly subject: TrialSubject }
  | { readonly kind: "explain"; readonly call: TriedCall; readonly variables: Variables }
  | {
      readonly kind: "compare";
      readonly clients: readonly TriedClient[];
      /** Theirs: the instance's first one. */
      readonly organizationId: string;
      readonly variables: Variables;
    };

/** The draft and what is in use; the latter may be missing. */
export interface Both<One> {
  readonly draft: One;
  readonly inUse: One | undefined;
}

/** What can be chosen from. */
export interface Loaded {
  /** Names of the draft's tools of REST APIs, as agents see them. */
  readonly tools: readonly string[];
  /** Apps of the draft whose MCP servers list their own tools. */
  readonly servers: readonly string[];
  /** Variables that decide, of either configuration: without their values nothing can be told. */
  readonly variables: readonly string[];
}

/** One step of a decision, in the words of `countersign explain`. */
export interface TriedStep {
  readonly step: string;
  readonly name?: string;
  /** `unknown`: it takes what a browser does not have. */
  readonly decision: "allowed" | "denied" | "unknown";
  readonly why: string;
  /** What decides, as the configuration has it. */
  readonly rule?: string;
}

export type Tried =
  | { readonly decision: TriedStep["decision"]; readonly steps: readonly TriedStep[] }
  /** Why the configuration cannot be tried, in the words of its check. */
  | { readonly problems: readonly string[] };

/** A tool with what is to be said of it. */
export interface ToolWords {
  readonly tool: string;
  readonly words: string;
}

/** API clients for whom the same changes. */
export interface AccessGroup {
  readonly clients: readonly Pick<TriedClient, "clientId" | "name">[];
  readonly gained: readonly ToolWords[];
  readonly lost: readonly ToolWords[];
  /** They may call it before and after, under other conditions. */
  readonly changed: readonly ToolWords[];
}

export type AccessComparison =
  | {
      /** Those for whom something changes; most changes first. */
      readonly groups: readonly AccessGroup[];
      /** Clients for whom nothing does. */
      readonly unchanged: number;
      readonly newTools: readonly string[];
      readonly goneTools: readonly string[];
      /** Apps of either configuration whose MCP servers list their own tools: they are not compared. */
      readonly servers: readonly string[];
    }
  | { readonly problems: Both<readonly string[]> };

/** The kinds of requests with what comes back. */
export interface TrialAnswers {
  readonly load: Loaded;
  readonly explain: Both<Tried>;
  readonly compare: AccessComparison;
}

/** What the worker sends. `done` comes while clients are compared: how many were. */
export type TrialAnswer =
  | { readonly id: number; readonly done: number }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failed: string };
