import type { DocumentFlaw } from "../catalog.ts";
import type { Operation } from "./operations.ts";

/** How many flaws of one kind are told in full. */
const EXAMPLES = 3;

/** Collects what is wrong with a document although its operations are tools. */
export interface FlawList {
  /** @param what for people; of several on one operation the first is told */
  readonly note: (lost: DocumentFlaw["lost"], operation: Operation, what: readonly string[]) => void;
  readonly flaws: readonly DocumentFlaw[];
}

export function createFlawList(): FlawList {
  const found = new Map<DocumentFlaw["lost"], { count: number; examples: string[] }>();
  return {
    note: (lost, { method, path }, [first]) => {
      if (first === undefined) return;
      const { count, examples } = found.get(lost) ?? { count: 0, examples: [] };
      const more = count < EXAMPLES ? [`${method} ${path}: ${first}`] : [];
      found.set(lost, { count: count + 1, examples: [...examples, ...more] });
    },
    get flaws() {
      return [...found].map(([lost, { count, examples }]) => ({ lost, count, examples }));
    },
  };
}
