/** What the configuration says of one argument of a tool. `fix` and `hide` stand alone. */
export interface ArgumentRule {
  /** The server's name of it. */
  readonly argument: string;
  /** The value of each call. */
  readonly fix?: FixedArgument;
  readonly hide?: true;
  /** What agents call it. */
  readonly name?: string;
  /** A pattern of RE2's syntax that the value, a text, matches. */
  readonly match?: string;
  readonly allow?: readonly unknown[];
}

/** A value, or a text that is put together for each call. */
export type FixedArgument = { readonly value: unknown } | { readonly parts: readonly FixedPart[] };

export type FixedPart =
  | { readonly text: string }
  /** A claim of the person. */
  | { readonly user: string }
  | { readonly agent: "clientID" }
  | { readonly request: "id" };

/** Whether agents do not get to see an argument. */
export function isKept({ fix, hide }: ArgumentRule): boolean {
  return fix !== undefined || hide === true;
}
