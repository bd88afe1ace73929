/** A part of a result (MCP, Tools, Tool Result). `data` and `blob` are base64. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | BinaryBlock
  | { readonly type: "resource"; readonly resource: BlobResource };

export interface BinaryBlock {
  readonly type: "image" | "audio";
  readonly data: string;
  readonly mimeType: string;
}

/** The contents of a file (MCP, Resources, Binary Content). */
export interface BlobResource {
  readonly uri: string;
  readonly mimeType: string;
  readonly blob: string;
}

/** What a tool call answers (MCP, Tools, Tool Result): a plain `CallToolResult`. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  /** Always an object, and never on an error: clients check it against the output schema. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

export function textResult(text: string): ToolResult {
  return { content: [textBlock(text)] };
}

export function errorResult(text: string): ToolResult {
  return { content: [textBlock(text)], isError: true };
}

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** The URI is made up: that of the request may carry an API key. It names the tool, and nothing can be read from it. */
export function resourceBlock(tool: string, mimeType: string, blob: string): ContentBlock {
  return { type: "resource", resource: { uri: `countersign:answer/${tool}`, mimeType, blob } };
}
