import { type AgentCredentials, connect, discover, readLastCall, requestToken } from "../agent.ts";
import type { McpClient } from "../mcp-client.ts";

export interface StoryOptions {
  readonly mcpURL: string;
  readonly managementURL: string;
  readonly credentials: AgentCredentials;
  readonly print: (line: string) => void;
}

const SEARCH = "library_searchBooks";
const POST = "board_postNotice";

/** The sample agent at work: from the MCP URL to the audit record of its last call. Resolves to the token it used. */
export async function tellStory({ mcpURL, managementURL, credentials, print }: StoryOptions): Promise<string> {
  const discovery = await discover(mcpURL);
  print(
    chapter("discovery", `${mcpURL} asks for a token and names its authorization server, ${discovery.server.issuer}`),
  );

  const token = await requestToken(discovery.server, credentials, mcpURL);
  const kind = `${token.text.slice(0, 7)}…, opaque, for this MCP endpoint only, ${token.expiresIn} s`;
  print(chapter("token", `${credentials.clientId} signed an assertion with its ES256 key and got ${kind}`));

  const gateway = connect(discovery, token);
  const tools = await gateway.listTools();
  const names = tools.map(({ name }) => name).filter((name) => name.startsWith("library_"));
  const others = tools.filter(({ name }) => name.startsWith("board_")).length;
  print(
    chapter(
      "tools",
      `${names.length} made from openapi.yaml: ${names.slice(0, 2).join(", ")}, …; ${others} of the MCP server`,
    ),
  );

  const search = { query: "sea", available: true };
  const found = await called(gateway, SEARCH, search);
  print(chapter("call", `${SEARCH} ${JSON.stringify(search)} found ${describeBooks(found)}`));

  const post = { text: "Moby-Dick is on the shelf." };
  const { notice } = (await called(gateway, POST, post)) as { readonly notice: Notice };
  print(chapter("call", `${POST} ${JSON.stringify(post)}: ${notice.noticeId}, put up by ${notice.by}`));

  const auditToken = await requestToken(discovery.server, credentials);
  const record = await readLastCall(managementURL, credentials.clientId, auditToken);
  const took = record.durationMs === undefined ? "" : ` in ${record.durationMs} ms`;
  print(chapter("audit record", `${record.id}: ${record.agent} called ${record.tool}, ${record.outcome}${took}`));
  return token.text;
}

interface Notice {
  readonly noticeId: string;
  readonly by: string;
}

async function called(gateway: McpClient, tool: string, args: Readonly<Record<string, unknown>>) {
  const { isError, content, structuredContent = {} } = await gateway.callTool(tool, args);
  if (isError) throw new Error(`${tool} failed: ${content[0]?.text ?? "no text"}`);
  return structuredContent;
}

function chapter(name: string, text: string): string {
  return `  ${name.padEnd(13)} ${text}`;
}

function describeBooks(found: Readonly<Record<string, unknown>>): string {
  const books = (found.books ?? []) as readonly { readonly title: string; readonly author: string }[];
  return books.map(({ title, author }) => `“${title}” by ${author}`).join(" and ") || "nothing";
}
