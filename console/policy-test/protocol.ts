import type { AuditEvent } from "../../lib/management/schemas/audit-events.ts";
import type { ConfigurationDocument } from "../../lib/management/schemas/deployment.ts";
import type { ToolList } from "../../lib/management/schemas/tools.ts";

/** A policy that can be evaluated here. `none`: every call is allowed. */
export type PolicySource =
  | { readonly language: "none" }
  | { readonly language: "cel"; readonly text: string }
  | ({ readonly language: "rego"; readonly plan: unknown } & RegoSettings);

/** What a policy in Rego has beside its modules. */
export interface RegoSettings {
  /** What it reads below `data`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Absent: the plan's only one, or `orchestrator/result`. */
  readonly entrypoint?: string;
  /** It also decides which tools are listed. */
  readonly list: boolean;
  /** It is shown the caller's token, which is in no record. */
  readonly forwardToken: boolean;
  /** What becomes of a token that is no JWT, of such a policy that decodes some; absent: `deny`. */
  readonly opaqueTokens?: "deny" | "evaluate";
}

/** A policy of an app as it is in use. */
export interface PolicyInUse {
  readonly app: string;
  /** Below the authorization of the app: `cel`, `rules[0].opa`. It names the policy where it has no name of its own. */
  readonly place: string;
  readonly name: string;
  readonly language: "cel" | "rego";
  /** As it is written; absent: it is not in the document (`file`, `plan`). */
  readonly text?: string;
  /** Below the app, where the text is or can be. */
  readonly path: readonly (string | number)[];
  /** Absent: what was compiled is not sent. */
  readonly source?: PolicySource;
}

/** An app of the gateway. */
export interface TestedApp {
  readonly name: string;
  readonly policies: readonly PolicyInUse[];
  /** Names of policies that servers decide. */
  readonly remote: readonly string[];
}

/** Where something is wrong; lines and columns from 1. A plan has none. */
export interface Mistake {
  readonly message: string;
  readonly at?: { readonly line: number; readonly column: number };
}

/** What a policy says of one input. */
export type Verdict =
  | { readonly outcome: "allowed" }
  /** `hides`: lists do not show the tool either. `message`: for the agent. */
  | { readonly outcome: "denied"; readonly message?: string; readonly hides: boolean }
  /** It denies, as it could not be evaluated. `failure` is a short code, as logs have it. */
  | { readonly outcome: "error"; readonly failure: string; readonly hides: boolean }
  /** It read something that the record does not have: `request.mcp.tool.params.arguments`. */
  | { readonly outcome: "unknown"; readonly reads: readonly string[] };

/** The policy that is in use, and the edited one. */
export interface Policies<One> {
  readonly inUse: One;
  readonly edited: One;
}

/** What a record is read with. */
export interface Surroundings {
  /** Of the instance: tokens of others say who calls in their own ways. */
  readonly issuer: string | undefined;
  readonly tools: Pick<ToolList, "items" | "servers">;
}

/** `unknown`: it cannot be told from the record whether something changes. */
export type Change = "denied" | "allowed" | "same" | "unknown";

export interface ComparedRecord extends Policies<Verdict> {
  readonly record: AuditEvent;
  readonly change: Change;
}

export type TestRequest =
  /** Lists the policies of what is in use. */
  | { readonly kind: "list"; readonly shown: ConfigurationDocument }
  | { readonly kind: "check"; readonly source: PolicySource }
  /** @property input JSON text @property time milliseconds since the epoch, for policies that ask for it */
  | { readonly kind: "try"; readonly policies: Policies<PolicySource>; readonly input: string; readonly time: number }
  | {
      readonly kind: "compare";
      readonly policies: Policies<PolicySource>;
      readonly records: readonly AuditEvent[];
      readonly surroundings: Surroundings;
    };

/** The kinds of requests with what comes back. */
export interface TestAnswers {
  readonly list: readonly TestedApp[];
  /** Undefined: nothing is wrong. */
  readonly check: Mistake | undefined;
  readonly try: Policies<Verdict>;
  readonly compare: readonly ComparedRecord[];
}

/** What the worker sends. */
export type TestAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failed: string };
