/** What is wrong with an OpenAPI document, and where. */
export interface DocumentProblem {
  /** JSON Pointer (RFC 6901) into the document; empty for the document as a whole. */
  readonly pointer: string;
  readonly message: string;
  /** URI of the document, where it is one that the root refers to. */
  readonly document?: string;
  /** Place in the document's text, both from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** One problem, where work on its part of the document cannot go on. */
export class DocumentError extends Error {
  readonly problem: DocumentProblem;
  constructor(pointer: string, message: string) {
    super(`${pointer === "" ? "(root)" : pointer}: ${message}`);
    this.name = "DocumentError";
    this.problem = { pointer, message };
  }
}

/** Collects problems, so that one mistake does not hide the next. */
export interface ProblemList {
  /** In the order they were found, each once. */
  readonly problems: readonly DocumentProblem[];
  readonly report: (pointer: string, message: string) => void;
  /** The result of the work, or `otherwise` when it throws a `DocumentError`, which is kept. */
  readonly attempt: <T>(work: () => T, otherwise: T) => T;
  /** From now on problems are kept apart, until the function that it returns is called: it gives them back. */
  readonly apart: () => () => readonly DocumentProblem[];
}

export function createProblemList(): ProblemList {
  const all = new Map<string, DocumentProblem>();
  const open = [all];
  const report = (pointer: string, message: string) => {
    open.at(-1)?.set(JSON.stringify([pointer, message]), { pointer, message });
  };
  return {
    get problems() {
      return [...all.values()];
    },
    report,
    attempt: (work, otherwise) => {
      try {
        return work();
      } catch (cause) {
        if (!(cause instanceof DocumentError)) throw cause;
        report(cause.problem.pointer, cause.problem.message);
        return otherwise;
      }
    },
    apart: () => {
      const own = new Map<string, DocumentProblem>();
      open.push(own);
      return () => {
        open.splice(open.indexOf(own), 1);
        return [...own.values()];
      };
    },
  };
}

/** Appends one segment to a JSON Pointer. */
export function below(pointer: string, ...segments: readonly string[]): string {
  return pointer + segments.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
