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
      code: `claude mcp add --transport http ${name} ${url} && claude mcp login ${name}`,
      note: `The browser opens for the sign-in. An older Claude Code that knows no login signs in within a session: /mcp, then ${name}.`,
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
    {
      client: "TypeScript",
      place: "agent.mjs, with the package @modelcontextprotocol/client",
      code: signInWithTypescript(url),
      note: PRINTS_ADDRESS,
    },
    {
      client: "Python",
      place: "agent.py, with version 2 of the package mcp",
      code: signInWithPython(url),
      note: PRINTS_ADDRESS,
    },
  ];
}

/** These two keep what they got in memory. */
const PRINTS_ADDRESS =
  "It prints the address of the sign-in; open it in a browser on this computer. Each start signs in anew.";

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
    { client: "Python", place: "agent.py, with version 2 of the package mcp", code: python(url), note },
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
  return `import asyncio
import os

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main():
    headers = {"Authorization": f"Bearer {os.environ['${TOKEN}']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(${JSON.stringify(url)}, http_client=http)) as client:
            print([tool.name for tool in (await client.list_tools()).tools])


asyncio.run(main())`;
}

function signInWithTypescript(url: string): string {
  return `import { once } from "node:events";
import { createServer } from "node:http";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";

// The browser comes back here after the sign-in.
const listener = createServer().listen(0, "127.0.0.1");
await once(listener, "listening");
const redirectUrl = \`http://127.0.0.1:\${listener.address().port}/callback\`;

const kept = { state: crypto.randomUUID() };
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: "My agent", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
  state: () => kept.state,
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  discoveryState: () => kept.discovery,
  saveDiscoveryState: (discovery) => void (kept.discovery = discovery),
  redirectToAuthorization: (address) => console.log(\`Open this address to sign in:\\n\${address}\`),
};

const connect = () => new StreamableHTTPClientTransport(new URL(${JSON.stringify(url)}), { authProvider });
const client = new Client({ name: "my-agent", version: "1.0.0" });
const transport = connect();
try {
  await client.connect(transport);
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
  const [request, response] = await once(listener, "request");
  response.end("You can close this page.");
  const answer = new URL(request.url, redirectUrl).searchParams;
  if (answer.get("state") !== kept.state) throw new Error("This answer is not that of our sign-in.");
  await transport.finishAuth(answer);
  await client.connect(connect());
}
listener.close();

const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name));
await client.close();`;
}

function signInWithPython(url: string): string {
  return `import asyncio
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

URL = ${JSON.stringify(url)}


class Memory:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Callback(BaseHTTPRequestHandler):
    """The browser comes back here after the sign-in."""

    def do_GET(self):
        self.server.answer = dict(parse_qsl(urlsplit(self.path).query))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"You can close this page.")

    def log_message(self, *_):
        pass


async def main():
    listener = HTTPServer(("127.0.0.1", 0), Callback)

    async def show(address):
        print(f"Open this address to sign in:\\n{address}", flush=True)

    async def answer():
        await asyncio.to_thread(listener.handle_request)
        said = listener.answer
        if "code" not in said:
            raise SystemExit(f"The sign-in was refused: {said.get('error')}")
        return AuthorizationCodeResult(code=said["code"], state=said.get("state"), iss=said.get("iss"))

    redirect = f"http://127.0.0.1:{listener.server_port}/callback"
    metadata = OAuthClientMetadata(client_name="My agent", redirect_uris=[redirect], token_endpoint_auth_method="none")
    auth = OAuthClientProvider(URL, metadata, Memory(), show, answer)
    async with httpx2.AsyncClient(auth=auth, timeout=60) as http:
        async with Client(streamable_http_client(URL, http_client=http)) as client:
            print([tool.name for tool in (await client.list_tools()).tools])


asyncio.run(main())`;
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
