/** JSON Schema 2020-12, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The tools of one Bridge app: plain JSON, made at build time or start, never at request time. */
export interface Catalog {
  readonly tools: readonly BridgeTool[];
  readonly leftOut: readonly LeftOutOperation[];
}

export interface BridgeTool {
  /** The name agents see: namespace and all, `[A-Za-z0-9_-]{1,64}`. */
  readonly name: string;
  /** The name policies see: without the namespace. */
  readonly localName: string;
  readonly description?: string;
  readonly title?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
  readonly request: OperationRequest;
}

export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly destructiveHint?: boolean;
}

/** How a tool's arguments become an HTTP request. */
export interface OperationRequest {
  readonly method: string;
  /** OpenAPI path template, for example `/books/{bookId}`. */
  readonly path: string;
  readonly parameters: readonly OperationParameter[];
  readonly body?: OperationBody;
  /** Value of the `Accept` header. */
  readonly accept: string;
}

export interface OperationParameter {
  /** The property of the arguments. */
  readonly argument: string;
  /** The parameter's own name on the wire. */
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  /** `form` and `simple` are the OpenAPI defaults of query and of path and header. */
  readonly explode: boolean;
}

export interface OperationBody {
  readonly contentType: string;
  readonly required: boolean;
  /** Property by property from the arguments (`argument` → `name`), or one argument that is the whole body. */
  readonly from:
    | { readonly properties: readonly { readonly argument: string; readonly name: string }[] }
    | { readonly argument: string };
}

/** Why an operation is no tool; the whole list. */
export type LeftOutReason =
  | "unsupported method"
  | "unsupported parameter location"
  | "unsupported parameter style"
  | "unsupported request body"
  | "duplicate operation";

export interface LeftOutOperation {
  /** `METHOD /path`. */
  readonly operation: string;
  readonly reason: LeftOutReason;
  /** What the reason is about, for people: the media types of a body that is not supported. */
  readonly detail?: string;
}
