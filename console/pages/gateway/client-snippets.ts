/** How an agent comes by its token: a person signs in, or somebody gives it one. */
export type SignIn = "person" | "token";

/** What somebody gives an MCP client so that it finds the gateway. */
export interface ClientSnippet {
  readonly client: string;
  /** Where the code goes: a file, or a terminal. */
  readonly place: string;
  readonly code: string;
  /** What happens then, or what has to be there before. */
  readonly note?: string;
}

/** The variable that clients take the token from. */
const TOKEN = "COUNTERSIGN_TOKEN";

/** The snippets of every client that is known, each in the client's own form. @param name what the client calls the gateway */
export function clientSnippets(url: string, signIn: SignIn, name = "countersign"): readonly ClientSnippet[] {
  return signIn === "person" ? forPeople(url, name) : withToken(url, name);
}

const SIGNS_IN = "The browser opens for the sign-in when it connects.";

function forPeople(url: string, name: string): readonly ClientSnippet[] {
  return [
    {
      client: "Claude Code",
      place: "In a terminal",
      code: `claude mcp add --transport http ${name} ${url}`,
      note: `Run /mcp in a session, choose ${name} and sign in.`,
    },
    {
      client: "Cursor",
      place: "~/.cursor/mcp.json, or .cursor/mcp.json of a project",
      code: json({ mcpServers: { [name]: { url } } }),
      note: SIGNS_IN,
    },
    {
      client: "VS Code",
      place: ".vscode/mcp.json, or MCP: Add Server",
      code: json({ servers: { [name]: { type: "http", url } } }),
      note: "VS Code asks before it opens the browser for the sign-in.",
    },
    {
      client: "Clients that start programs",
      place: "Their list of servers, such as claude_desktop_config.json",
      code: json({ mcpServers: { [name]: { command: "npx", args: ["-y", "mcp-remote", url] } } }),
      note: SIGNS_IN,
    },
    {
      client: "MCP Inspector",
      place: "In a terminal",
      code: `npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list`,
      note: SIGNS_IN,
    },
  ];
}

function withToken(url: string, name: string): readonly ClientSnippet[] {
  const note = `Put the access token into the variable ${TOKEN} before you start it.`;
  const input = { type: "promptString", id: "token", description: "Access token", password: true };
  return [
    {
      client: "Claude Code",
      place: "In a terminal",
      code: `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer $${TOKEN}"`,
      note: `The shell fills in ${TOKEN}; Claude Code keeps the token in its configuration.`,
    },
    {
      client: "Cursor",
      place: "~/.cursor/mcp.json, or .cursor/mcp.json of a project",
      code: json({ mcpServers: { [name]: { url, headers: { Authorization: `Bearer \${env:${TOKEN}}` } } } }),
      note,
    },
    {
      client: "VS Code",
      place: ".vscode/mcp.json",
      code: json({
        inputs: [input],
        servers: { [name]: { type: "http", url, headers: { Authorization: `Bearer \${input:${input.id}}` } } },
      }),
      note: "VS Code asks for the token once and keeps it.",
    },
    {
      client: "Clients that start programs",
      place: "Their list of servers, such as claude_desktop_config.json",
      code: json({
        mcpServers: {
          [name]: {
            command: "npx",
            args: ["-y", "mcp-remote", url, "--header", `Authorization:\${AUTHORIZATION}`],
            env: { AUTHORIZATION: "Bearer <access token>" },
          },
        },
      }),
    },
    {
      client: "MCP Inspector",
      place: "In a terminal",
      code: `npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list --header "Authorization: Bearer $${TOKEN}"`,
      note,
    },
    {
      client: "TypeScript",
      place: "agent.mjs, with the package @modelcontextprotocol/client",
      code: typescript(url),
      note,
    },
    { client: "Python", place: "agent.py, with the package mcp", code: python(url), note },
  ];
}

function typescript(url: string): string {
  return `import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const headers = { Authorization: \`Bearer \${process.env.${TOKEN}}\` };
const client = new Client({ name: "my-agent", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(${JSON.stringify(url)}), { requestInit: { headers } }));
const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name));
await client.close();`;
}

function python(url: string): string {
  return `import asyncio, os
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

async def main():
    headers = {"Authorization": f"Bearer {os.environ['${TOKEN}']}"}
    async with streamablehttp_client(${JSON.stringify(url)}, headers=headers) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            print([tool.name for tool in (await session.list_tools()).tools])

asyncio.run(main())`;
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
