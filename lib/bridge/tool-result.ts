/** What a tool call answers (MCP, Tools, Tool Result): a plain `CallToolResult`. */
export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  /** Always an object, and never on an error: clients check it against the output schema. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

export function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

export function errorResult(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
