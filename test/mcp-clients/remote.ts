import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { programEnvironment, programPath } from "./program.ts";
import type { PersonAsked } from "./sign-in.ts";

/** A client that reaches the gateway through `mcp-remote`, which it started. */
export interface Remote {
  /** Resolves when a browser was sent back to `mcp-remote`; rejects when none was ever asked for. */
  signedIn(): Promise<void>;
  toolNames(): Promise<readonly string[]>;
  /** Resolves to the structured result. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  /** What `mcp-remote` wrote for people. */
  said(): string;
}

export interface RemoteOptions {
  readonly args: readonly string[];
  /** Where it keeps tokens. */
  readonly home: string;
  /** Signs in when asked to. */
  readonly person: PersonAsked;
}

/** `mcp-remote` runs as long as `use` does. */
export async function withRemote(
  { args, home, person }: RemoteOptions,
  use: (remote: Remote) => Promise<void>,
): Promise<void> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programPath("mcp-remote/dist/proxy.js"), ...args],
    env: programEnvironment({ home, variables: { MCP_REMOTE_CONFIG_DIR: home } }),
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    person.look(said);
  });
  const client = new Client({ name: "desktop", version: "1" });
  try {
    await client.connect(transport);
    await use({
      signedIn: person.finished,
      toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => {
        const { structuredContent = {} } = await client.callTool({ name, arguments: args });
        return structuredContent as Readonly<Record<string, unknown>>;
      },
      said: () => said,
    });
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : cause}\nmcp-remote wrote:\n${said}`, { cause });
  } finally {
    await client.close();
  }
}
