/** What is wrong with an OpenAPI document, and where. */
export interface DocumentProblem {
  /** JSON Pointer (RFC 6901) into the document; empty for the document as a whole. */
  readonly pointer: string;
  readonly message: string;
  /** URI of the document, where it is one that the root refers to. */
  readonly document?: string;
  /** URI of the document that is not there, where that is what is wrong with a reference. */
  readonly unread?: string;
  /** Place in the document's text, both from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** One problem, where work on its part of the document cannot go on. */
export class DocumentError extends Error {
  readonly problem: DocumentProblem;
  constructor(pointer: string, message: string, unread?: string) {
    super(`${pointer === "" ? "(root)" : pointer}: ${message}`);
    this.name = "DocumentError";
    this.problem = { pointer, message, ...(unread !== undefined && { unread }) };
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
  const keep = (problem: DocumentProblem) => {
    open.at(-1)?.set(JSON.stringify([problem.pointer, problem.message]), problem);
  };
  return {
    get problems() {
      return [...all.values()];
    },
    report: (pointer, message) => keep({ pointer, message }),
    attempt: (work, otherwise) => {
      try {
        return work();
      } catch (cause) {
        if (!(cause instanceof DocumentError)) throw cause;
        keep(cause.problem);
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

/** Of a document that is not there its own mistakes, else the first reference to it: one file is mended once. */
export function eachFileOnce(problems: readonly DocumentProblem[]): readonly DocumentProblem[] {
  const told = new Set(problems.flatMap(({ document }) => document ?? []));
  return problems.filter(({ unread }) => {
    if (unread === undefined) return true;
    const isFirst = !told.has(unread);
    told.add(unread);
    return isFirst;
  });
}

/** Appends one segment to a JSON Pointer. */
export function below(pointer: string, ...segments: readonly string[]): string {
  let whole = pointer;
  for (const segment of segments) whole += `/${/[~/]/.test(segment) ? escaped(segment) : segment}`;
  return whole;
}

function escaped(segment: string): string {
  return segment.replaceAll("~", "~0").replaceAll("/", "~1");
}
