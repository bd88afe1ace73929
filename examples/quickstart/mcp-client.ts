/** The parts of an MCP tool that the sample agent reads. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
}

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

export interface McpClient {
  listTools(): Promise<readonly Tool[]>;
  callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult>;
}

const REVISION = "2026-07-28";

/**
 * The smallest MCP client that talks to a gateway: one POST a request, no session (MCP 2026-07-28). A real agent uses an
 * SDK; this one shows that nothing is hidden in it.
 */
export function mcpClient(url: string, accessToken: string): McpClient {
  let id = 0;
  return {
    listTools: async () => (await request<{ tools: Tool[] }>("tools/list", {})).tools,
    callTool: (name, args) => request<ToolResult>("tools/call", { name, arguments: args }, name),
  };

  async function request<T>(method: string, params: Readonly<Record<string, unknown>>, name?: string): Promise<T> {
    id += 1;
    const response = await fetch(url, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${accessToken}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": REVISION,
        "Mcp-Method": method,
        ...(name !== undefined && { "Mcp-Name": name }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } }),
    });
    const answer = await readAnswer(response, id);
    if (answer.error !== undefined) throw new Error(`${method} was refused: ${answer.error.message}`);
    return answer.result as T;
  }
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientInfo": { name: "sample-agent", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** One JSON object, or an event stream in which the answer is the message with our id. */
async function readAnswer(response: Response, id: number): Promise<Answer> {
  const text = await response.text();
  if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    const messages = text
      .split(/\r?\n/)
      .filter((line) => line.startsWith("data:") && line.length > 6)
      .map((line) => JSON.parse(line.slice(5)) as Answer);
    const answer = messages.find((message) => message.id === id);
    if (answer !== undefined) return answer;
    throw new Error(`The gateway's stream ended without an answer (HTTP ${response.status}).`);
  }
  const answer = text.startsWith("{") ? (JSON.parse(text) as Answer) : {};
  if (answer.result !== undefined || typeof answer.error === "object") return answer;
  throw new Error(`The gateway answered HTTP ${response.status}: ${text.slice(0, 200)}`);
}
