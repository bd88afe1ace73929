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
  /** JSON texts of what stands in several details or definitions, each in their place as a `PartReference`. */
  readonly parts: readonly string[];
  /** Those of the document that operations ask for and calls can carry, by name. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** What tools ask for (`OperationRequest.security`), each requirement once; absent: nothing. */
  readonly security?: readonly SecurityRequirement[];
  /** Where calls go that do not go where the app is; absent: nowhere. */
  readonly otherServers?: readonly OtherServer[];
  /** What the document says of the tags of tools, by tag, as a search reads it; absent: nothing. */
  readonly topics?: Readonly<Record<string, string>>;
  /** How many operations the operator chose to leave out; absent: none. */
  readonly excluded?: number;
  /** What whoever owns the document could mend; absent: nothing. */
  readonly flaws?: readonly DocumentFlaw[];
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
  /** Of the operation, as it is sent. */
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

/** What a call needs and the tool does not say already. */
export interface ToolDetails {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly request: Omit<OperationRequest, "method" | "path" | "declared">;
}

/** A tool ready for use; its schemas stand alone. */
export interface BridgeTool extends Omit<CatalogTool, "details">, ToolDetails {
  readonly request: OperationRequest;
}

/** An argument of a tool that clients repeat in a header (MCP 2026-07-28, Custom Headers from Tool Parameters). */
export interface ParamHeader {
  /** With the prefix `Mcp-Param-`. */
  readonly name: string;
  /** Where the argument is. */
  readonly path: readonly string[];
}

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** What the document has some operations at (OpenAPI, Operation Object, `servers`). */
export interface OtherServer {
  readonly origin: string;
  /** How many tools, and the name of the first. */
  readonly count: number;
  readonly example: string;
}

export interface SecurityRequirement {
  readonly alternatives: readonly (readonly string[])[];
  /** How many tools ask for it, and the name of the first. */
  readonly count: number;
  readonly example: string;
}

/** A Security Scheme Object, as far as a call that carries its credential needs it. */
export type SecurityScheme =
  | { readonly kind: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly kind: "basic" }
  | { readonly kind: "bearer" };

/** How a tool's arguments become an HTTP request. */
export interface OperationRequest {
  /** Where the operation is, without slash at the end, if not where the app is. */
  readonly baseURL?: string;
  readonly method: string;
  /** OpenAPI path template, for example `/books/{bookId}`. */
  readonly path: string;
  readonly parameters: readonly OperationParameter[];
  /** Alternatives, the names of the schemes that each takes together (OpenAPI, Security Requirement Object); absent: none is asked for. */
  readonly security?: readonly (readonly string[])[];
  readonly body?: OperationBody;
  /** Value of the `Accept` header. */
  readonly accept: string;
  /** What the document declares as the success is a redirect; absent: it is not. */
  readonly redirects?: true;
  readonly declared: DeclaredNames;
}

/** The names that the document gives what a request carries: none of them is the agent's to use for something else. */
export interface DeclaredNames {
  readonly names: readonly DeclaredName[];
  /** Names of members that the schema of an argument declares, at any depth; absent: none. */
  readonly members: Readonly<Record<string, readonly string[]>>;
  /** Of the arguments. */
  readonly schema: JsonSchema;
}

export interface DeclaredName {
  readonly place: "path" | "query" | "header" | "cookie" | "body";
  readonly name: string;
}

/** What is absent is the default of the location or of the style (OpenAPI 3.2, Parameter Object): most say nothing. */
export interface OperationParameter {
  /** The property of the arguments. */
  readonly argument: string;
  /** The parameter's own name on the wire. */
  readonly name: string;
  readonly in: ParameterLocation;
  /** Those of a path are required without it. */
  readonly required?: true;
  /** One that the location has; `form` in query and cookie and `simple` in path and header are absent. */
  readonly style?: ParameterStyle;
  /** Absent: true for `form` and `cookie`, else false. */
  readonly explode?: boolean;
  readonly allowReserved?: true;
  /** The parameter has a media type instead of a style: the value is a text of this kind. */
  readonly content?: "json" | "form" | "text";
}

export type ParameterLocation = "path" | "query" | "querystring" | "header" | "cookie";

/** OpenAPI 3.2, Style Values. */
export type ParameterStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject"
  | "cookie";

export interface OperationBody {
  /** Value of the `Content-Type` header; a multipart one gets its boundary. */
  readonly contentType: string;
  /** Absent: JSON. `text` is a string as it stands, `binary` one file. */
  readonly kind?: "form" | "multipart" | "text" | "binary";
  readonly required?: true;
  /** The argument that is the whole body; absent: every argument that is no parameter is a property of the body. */
  readonly argument?: string;
  /** Names of properties by their arguments, where the two differ. */
  readonly names?: Readonly<Record<string, string>>;
  /** Of properties in forms and multipart bodies, by name. */
  readonly encodings?: Readonly<Record<string, PropertyEncoding>>;
}

/** OpenAPI 3.2, Encoding Object. */
export interface PropertyEncoding {
  /** Media type of a part; absent: by the value. */
  readonly contentType?: string;
  /** With one of these three, the property is written like a parameter of a query. */
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved?: true;
  /** The value, or an entry of it, may be a file (`request/body.ts`). */
  readonly file?: true;
}

/** Why an operation is no tool; the whole list. */
export type LeftOutReason =
  | "unsupported method"
  | "unsupported parameter location"
  | "unsupported request body"
  | "duplicate operation"
  | "invalid operation";

export interface LeftOutOperation {
  /** `METHOD /path`; `* /path` for a Path Item that cannot be read. */
  readonly operation: string;
  /** The name that its tool would have, without the namespace; absent: a Path Item that cannot be read. */
  readonly localName?: string;
  readonly reason: LeftOutReason;
  /** What the reason is about, for people: the media types of a body that is not supported, where something is invalid and what. */
  readonly detail?: string;
}

/** Mistakes of one kind in a document that cost tools something and none of them itself. */
export interface DocumentFlaw {
  readonly lost: "argument" | "output schema";
  /** Of tools. */
  readonly count: number;
  /** `METHOD /path: …`, for people, of the first few. */
  readonly examples: readonly string[];
}
