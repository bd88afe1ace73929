/** JSON Schema 2020-12, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The tools of one Bridge app: plain JSON, made at build time or start, never at request time. What only a tool in use
 * needs is JSON text, so that a thousand tools load in milliseconds; `open-tool.ts` reads it.
 */
export interface Catalog {
  readonly tools: readonly CatalogTool[];
  /** JSON texts of the schemas that the details of tools refer to, by the name after `#/$defs/`. */
  readonly definitions: { readonly input: Definitions; readonly output: Definitions };
  /** Those of the document that operations ask for and calls can carry, by name. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly leftOut: readonly LeftOutOperation[];
}

export type Definitions = Readonly<Record<string, string>>;

/** What lists, searches and decisions look at. */
export interface CatalogTool {
  /** The name agents see: namespace and all, `[A-Za-z0-9_-]{1,64}`. */
  readonly name: string;
  /** The name policies see: without the namespace. */
  readonly localName: string;
  readonly description?: string;
  readonly title?: string;
  /** Of the operation, upper case. */
  readonly method: string;
  /** OpenAPI path template, for example `/books/{bookId}`. */
  readonly path: string;
  /** The document's tags of the operation; absent: none. */
  readonly tags?: readonly string[];
  readonly annotations: ToolAnnotations;
  /** Arguments that clients repeat in headers; absent: none. */
  readonly paramHeaders?: readonly ParamHeader[];
  /** `ToolDetails` as JSON text, without the `$defs` of its schemas. */
  readonly details: string;
}

/** What a call needs. */
export interface ToolDetails {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly request: OperationRequest;
}

/** A tool ready for use; its schemas stand alone. */
export type BridgeTool = Omit<CatalogTool, "details"> & ToolDetails;

/** An argument of a tool that clients repeat in a header (MCP 2026-07-28, Custom Headers from Tool Parameters). */
export interface ParamHeader {
  /** With the prefix `Mcp-Param-`. */
  readonly name: string;
  /** Where the argument is. */
  readonly path: readonly string[];
}

export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly destructiveHint?: boolean;
}

/** A Security Scheme Object, as far as a call that carries its credential needs it. */
export type SecurityScheme =
  | { readonly kind: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly kind: "basic" }
  | { readonly kind: "bearer" };

/** How a tool's arguments become an HTTP request. */
export interface OperationRequest {
  readonly method: string;
  /** OpenAPI path template, for example `/books/{bookId}`. */
  readonly path: string;
  readonly parameters: readonly OperationParameter[];
  /** Alternatives, the names of the schemes that each takes together (OpenAPI, Security Requirement Object); absent: none is asked for. */
  readonly security?: readonly (readonly string[])[];
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
