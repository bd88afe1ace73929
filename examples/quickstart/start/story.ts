import { type AgentCredentials, connect, discover, readLastCall, requestToken } from "../agent.ts";

export interface StoryOptions {
  readonly mcpURL: string;
  readonly managementURL: string;
  readonly credentials: AgentCredentials;
  readonly print: (line: string) => void;
}

const TOOL = "library_searchBooks";
const ARGUMENTS = { query: "sea", available: true };

/** The sample agent at work: from the MCP URL to the audit record of its call. Resolves to the token it used. */
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
  const names = tools.slice(0, 3).map(({ name }) => name);
  print(chapter("tools", `${tools.length} made from openapi.yaml: ${names.join(", ")}, …`));

  const result = await gateway.callTool(TOOL, ARGUMENTS);
  if (result.isError) throw new Error(`${TOOL} failed: ${result.content[0]?.text ?? "no text"}`);
  print(chapter("call", `${TOOL} ${JSON.stringify(ARGUMENTS)} found ${describeBooks(result.structuredContent)}`));

  const auditToken = await requestToken(discovery.server, credentials);
  const record = await readLastCall(managementURL, credentials.clientId, auditToken);
  const took = record.durationMs === undefined ? "" : ` in ${record.durationMs} ms`;
  print(chapter("audit record", `${record.id}: ${record.agent} called ${record.tool}, ${record.outcome}${took}`));
  return token.text;
}

function chapter(name: string, text: string): string {
  return `  ${name.padEnd(13)} ${text}`;
}

function describeBooks(found: Readonly<Record<string, unknown>> | undefined): string {
  const books = (found?.books ?? []) as readonly { readonly title: string; readonly author: string }[];
  return books.map(({ title, author }) => `“${title}” by ${author}`).join(" and ") || "nothing";
}
