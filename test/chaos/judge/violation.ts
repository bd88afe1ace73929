/** What must never be, by the rule that it breaks. */
export type Rule =
  | "token lost"
  | "assertion accepted twice"
  | "revoked and still accepted"
  | "not audited exactly once"
  | "server failed"
  | "secret in logs"
  | "valid request refused"
  | "nothing was tried";

export interface Violation {
  readonly rule: Rule;
  /** With the orders of the journal's lines that show it. */
  readonly text: string;
}

export const RULES: readonly Rule[] = [
  "token lost",
  "assertion accepted twice",
  "revoked and still accepted",
  "not audited exactly once",
  "server failed",
  "secret in logs",
  "valid request refused",
  "nothing was tried",
];
