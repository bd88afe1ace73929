/** What may not happen; the rules are told in this order. */
export const RULES = [
  "nothing was tried",
  "a call without a result or a clear error",
  "a call carried out twice, elsewhere or never",
  "a record too few, too many or wrong",
  "a session that is another's",
  "a session that did not go on",
  "not as before after the torment",
  "an error in the log",
] as const;

export interface Violation {
  readonly rule: (typeof RULES)[number];
  readonly text: string;
}
