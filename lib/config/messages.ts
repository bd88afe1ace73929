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

/** `file:line:column: path: message`, as editors understand it. */
export function formatMessage(message: ConfigurationMessage): string {
  const place = `${message.file}:${message.line}:${message.column}`;
  return message.path === "" ? `${place}: ${message.message}` : `${place}: ${message.path}: ${message.message}`;
}

/** Orders messages as their places stand in the text. */
export function inTextOrder(a: ConfigurationMessage, b: ConfigurationMessage): number {
  return a.line - b.line || a.column - b.column;
}
