/** A sentence of the specification, or a row of one of its tables, and what shows that it holds. */
export interface Sentence {
  /** `digestOf` its text, which is not repeated here. */
  readonly digest: string;
  /** What it is about, in our own words. */
  readonly about: string;
  /** Ids of rows. */
  readonly rows: readonly string[];
  /** Why it needs no row; where there is one there are no rows. */
  readonly none?: string;
}

export function shown(digest: string, about: string, ...rows: readonly [string, ...string[]]): Sentence {
  return { digest, about, rows };
}

export function needsNone(digest: string, about: string, none: string): Sentence {
  return { digest, about, rows: [], none };
}

export const HEADING = "It is a heading, or the head of a table.";
export const LEADS_IN = "It leads to the sentences that follow, which have rows.";
export const LEFT_OPEN = "It says that the specification leaves something open: nothing can contradict it.";
export const FOR_READERS = "It tells readers how to take the document, or advises them; the product has no part in it.";
