import { deepStrictEqual, match, ok } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { clientSnippets } from "../../console/mcp-clients/client-snippets.ts";
import { CONSOLE_BUILD_VARIABLE } from "../../infra/node/console/folder.ts";
import { pythonOf } from "../other-sdks/python.ts";
import { freeNeighbours } from "../repository/shell-blocks/ports.ts";
import { tinyConsole } from "../support/console-build.ts";
import { freePort } from "../support/free-port.ts";
import type { Check } from "./check.ts";
import { installClaudeCode } from "./claude-code.ts";
import { toldRemote } from "./mcp-remote.ts";
import { runCommand, runProgram } from "./program.ts";
import { withRemote } from "./remote.ts";
import { asAda, signInWhenAsked } from "./sign-in.ts";

const ROOT = join(import.meta.dirname, "../..");
const TOOL = "library_searchBooks";
const SEA = { query: "sea" };

export interface Quickstart {
  readonly mcpURL: string;
  /** Of the authorization server; what every sign-in begins with. */
  readonly authorizeURL: string;
  stop(): Promise<void>;
}

/** What `npm start` starts, with a Console that nobody opens. */
export async function startQuickstart(home: string): Promise<Quickstart> {
  const folder = await mkdtemp(join(home, "quickstart-"));
  const build = await tinyConsole();
  const port = await freeNeighbours();
  const child = spawn(process.execPath, [join(ROOT, "examples/quickstart/start/quickstart.ts")], {
    cwd: folder,
    env: { ...process.env, [CONSOLE_BUILD_VARIABLE]: build.folder, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  await new Promise<void>((resolve, reject) => {
    let written = "";
    child.stdout.on("data", (chunk: Buffer) => {
      written += chunk.toString();
      if (written.includes("Press Ctrl-C to stop.")) resolve();
    });
    ended.then(() => reject(new Error(`the quickstart ended by itself:\n${written}`)), reject);
  });
  const url = `http://localhost:${port}`;
  return {
    mcpURL: `${url}/mcp`,
    authorizeURL: `${url}/oauth2/authorize?`,
    stop: async () => {
      child.kill("SIGINT");
      await ended;
      await build.remove();
    },
  };
}

/** Every client signs Ada in at the quickstart by what the Console and the docs show for it. */
export async function quickstartChecks({ mcpURL, authorizeURL }: Quickstart, home: string): Promise<readonly Check[]> {
  const installed = await Promise.allSettled([installClaudeCode(home), pythonOf("mcp-2")]);
  const snippet = (client: string) =>
    clientSnippets(mcpURL, "person").find((one) => one.client === client)?.code ?? `no snippet for ${client}`;
  const ada = () => signInWhenAsked(authorizeURL, asAda);

  /** Saves the snippet, runs it, and returns what it printed. */
  const runSnippet = async (client: string, file: string, command: string): Promise<string> => {
    const folder = await mkdtemp(join(home, "agent-"));
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, file), snippet(client));
    const person = ada();
    const ended = await runCommand(command, [file], { home: folder, folder, onStdout: person.look });
    await person.finished();
    deepStrictEqual({ code: ended.code, stderr: ended.stderr }, { code: 0, stderr: "" });
    return ended.stdout;
  };

  return [
    {
      name: "quickstart: Claude Code adds the gateway, signs in and connects by the line that is shown",
      run: async () => {
        const claude = orThrow(installed[0]);
        const person = ada();
        const shown = await claude.inTerminal(`${snippet("Claude Code")} --no-browser`, person.look);
        await person.finished();
        match(shown, /Authenticated with "countersign"/);
        match(await claude.inTerminal("claude mcp list"), /countersign:[\s\S]*✔[\s\S]*Connected/);
      },
    },
    {
      name: "quickstart: mcp-remote signs in and calls a tool",
      run: async () => {
        const person = ada();
        const args = [...toldRemote(mcpURL), String(await freePort())];
        await withRemote({ args, home: await mkdtemp(join(home, "mcp-remote-")), person }, async (remote) => {
          await person.finished();
          match(JSON.stringify(await remote.call(TOOL, SEA)), /Moby-Dick/);
        });
      },
    },
    {
      name: "quickstart: the Inspector signs in and calls a tool",
      run: async () => {
        const person = ada();
        const [, told = ""] = snippet("MCP Inspector").split("inspector --cli ");
        const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
        const call = ["--method", "tools/call", "--tool-name", TOOL, "--tool-args-json", JSON.stringify(SEA)];
        const { code, stdout, stderr } = await runProgram(
          "@modelcontextprotocol/inspector/clients/launcher/build/index.js",
          ["--cli", ...told.replace("--method tools/list", "").trim().split(" "), ...call, "--callback-url", callback],
          {
            home,
            variables: { MCP_INSPECTOR_SECRET_STORE: "memory", MCP_AUTO_OPEN_ENABLED: "true" },
            onStderr: person.look,
          },
        );
        await person.finished();
        ok(code === 0 && stdout.includes("Moby-Dick"), `${stderr}\n${stdout}`);
      },
    },
    {
      name: "quickstart: the program in TypeScript signs in and lists the tools",
      run: async () => match(await runSnippet("TypeScript", "agent.mjs", process.execPath), /library_lendBook/),
    },
    {
      name: "quickstart: the program in Python signs in and lists the tools",
      run: async () => match(await runSnippet("Python", "agent.py", orThrow(installed[1])), /library_lendBook/),
    },
  ];
}

/** Where an installation failed, its check does. */
function orThrow<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}
