/** Something to say about the document, or about an OpenAPI document that it names. It never holds the value of a placeholder or of a key that names a secret. */
export interface ConfigurationMessage {
  /** The document's file name as it was given. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** `apps[0].openapi.baseURL`, in an OpenAPI document a JSON Pointer; empty for the document as a whole. */
  readonly path: string;
  readonly message: string;
  /** Of a warning: what it is about does not work at all, and other parts do. */
  readonly isUnserved?: true;
}

/** The document was refused; `messages` lists every mistake that could be found. */
export class ConfigurationError extends Error {
  readonly messages: readonly ConfigurationMessage[];
  constructor(messages: readonly ConfigurationMessage[]) {
    super(messages.map(formatMessage).join("\n"));
    this.name = "ConfigurationError";
    this.messages = messages;
  }
}

/** `file:line:column: path: message`, as editors understand it; without what a terminal would obey, for documents come from anywhere. */
export function formatMessage({ file, line, column, path, message }: ConfigurationMessage): string {
  const text = [`${file}:${line}:${column}`, ...(path === "" ? [] : [path]), message].join(": ");
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, " ");
}

/** More mistakes than these are only counted: whoever has that many has one that makes the others. */
const LONGEST_LIST = 100;

/** Messages in the order of the text, no more of them than a person reads. */
export function readable(messages: readonly ConfigurationMessage[]): readonly ConfigurationMessage[] {
  const ordered = messages.toSorted(inTextOrder);
  const [first] = ordered;
  const more = ordered.length - LONGEST_LIST;
  if (first === undefined || more <= 0) return ordered;
  const rest = { file: first.file, line: 1, column: 1, path: "", message: `and ${more} more mistakes` };
  return [...ordered.slice(0, LONGEST_LIST), rest];
}

/** Orders messages as their places stand in the text; of several files, in the order of their names. */
export function inTextOrder(a: ConfigurationMessage, b: ConfigurationMessage): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
