/** What became of one step in the life of a call. */
export interface ExplainedStep {
  readonly step: string;
  /** Which of several. */
  readonly name?: string;
  readonly decision: "allowed" | "denied";
  readonly why: string;
  /** What decides, as the configuration has it; absent: nothing that is written there in a few words. */
  readonly rule?: string;
}

/** What would be decided, step by step. */
export interface ExplainedDecision {
  /** `denied` when any step denies: the first that does is what the caller would be told. */
  readonly decision: "allowed" | "denied";
  readonly steps: readonly ExplainedStep[];
}

/** What the gateway would say to a call. */
export interface Explanation extends ExplainedDecision {
  readonly tool: string;
  /** What would be exchanged, and where; absent: calls carry nothing. */
  readonly credential?: ExplainedCredential;
  /** The person's own account whose token calls carry; absent: none. */
  readonly account?: ExplainedAccount;
}

export interface ExplainedAccount {
  /** Name of the connector of its provider. */
  readonly connector: string;
  readonly scopes: readonly string[];
  /** Each agent needs a connection of its own. */
  readonly perAgent: boolean;
  /** Absent: the store was not looked at, or there is no person. */
  readonly state?: "connected" | "none" | "reconnect" | "scopes";
  /** Those of `scopes` that the person has not granted. */
  readonly missing?: readonly string[];
}

export interface ExplainedCredential {
  /** An issuer, or the name of a connector. */
  readonly server: string;
  readonly clientID: string;
  readonly mode: "delegation" | "impersonation";
  readonly audience: string;
  readonly scopes: readonly string[];
  /** Seconds. */
  readonly ttl: number;
}

export function explainedDecision(steps: readonly ExplainedStep[]): ExplainedDecision {
  return { decision: steps.some(({ decision }) => decision === "denied") ? "denied" : "allowed", steps };
}

export function allowed(step: ExplainedStep["step"], why: string): ExplainedStep {
  return { step, decision: "allowed", why };
}

export function denied(step: ExplainedStep["step"], why: string): ExplainedStep {
  return { step, decision: "denied", why };
}
