import type { DocumentFlaw } from "../catalog.ts";
import type { Operation } from "./operations.ts";
import { bounded } from "./plain.ts";

/** How many flaws of one kind are told in full. */
const EXAMPLES = 3;
/** Characters of each: names and references in a document have no limit. */
const EXAMPLE_LENGTH = 600;

/** Collects what is wrong with a document although its operations are tools. */
export interface FlawList {
  /** @param what for people; of several on one operation the first is told, and what several operations share with the first */
  readonly note: (lost: DocumentFlaw["lost"], operation: Operation, what: readonly string[]) => void;
  readonly flaws: readonly DocumentFlaw[];
}

export function createFlawList(): FlawList {
  const found = new Map<
    DocumentFlaw["lost"],
    { readonly count: number; readonly examples: ReadonlyMap<string, string> }
  >();
  return {
    note: (lost, { method, path }, [first]) => {
      if (first === undefined) return;
      const { count, examples } = found.get(lost) ?? { count: 0, examples: new Map<string, string>() };
      const isTold = examples.has(first) || examples.size === EXAMPLES;
      const example = bounded(`${method} ${path}: ${first}`, EXAMPLE_LENGTH);
      found.set(lost, { count: count + 1, examples: isTold ? examples : new Map([...examples, [first, example]]) });
    },
    get flaws() {
      return [...found].map(([lost, { count, examples }]) => ({ lost, count, examples: [...examples.values()] }));
    },
  };
}
