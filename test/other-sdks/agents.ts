import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { visit } from "../support/browser.ts";
import { buildGo } from "./go.ts";
import { type Environment, PYTHON, pythonOf } from "./python.ts";

/** A program that plays an agent with an SDK of others, and what it found. */
export interface AgentProgram {
  readonly title: string;
  /** Of the protocol, which the SDK has to agree on with the gateway. */
  readonly revision: string;
  /** @throws Missing where this machine does not have what it needs */
  prepare(home: string): Promise<Command>;
}

interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** A line that an agent program prints. */
export interface Finding {
  readonly name: string;
  /** Null: the check passed. */
  readonly error: string | null;
}

const SESSIONS = "2025-11-25";
const STATELESS = "2026-07-28";

export const AGENTS: readonly AgentProgram[] = [
  { title: "Python SDK 1", revision: SESSIONS, prepare: () => python("mcp-1", "agent_v1.py") },
  { title: "Python SDK 2 with sessions", revision: SESSIONS, prepare: () => python("mcp-2", "agent_v2.py", "legacy") },
  { title: "Python SDK 2 without", revision: STATELESS, prepare: () => python("mcp-2", "agent_v2.py", "auto") },
  { title: "Go SDK with sessions", revision: SESSIONS, prepare: go },
  { title: "Go SDK without", revision: STATELESS, prepare: go },
];

/** Agents of people who have not connected an account: before a gateway that needs one. */
export const CONNECTING: readonly AgentProgram[] = [
  { title: "Python SDK 1, connecting", revision: SESSIONS, prepare: () => python("mcp-1", "connecting_v1.py") },
  {
    title: "Python SDK 2 with sessions, connecting",
    revision: SESSIONS,
    prepare: () => python("mcp-2", "connecting_v2.py", "legacy"),
  },
  {
    title: "Python SDK 2 without, connecting",
    revision: STATELESS,
    prepare: () => python("mcp-2", "connecting_v2.py", "auto"),
  },
];

/** More than all checks of one agent take together on a busy machine. */
const WITHIN_MS = 120_000;

/** Where a person is sent back to; nobody listens there, as the one who visits reads the address. */
const CALLBACK = "http://127.0.0.1:33418/callback";

export interface AgentOptions {
  readonly url: string;
  /** Names of the apps to use. */
  readonly apps: readonly string[];
  readonly home: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Opens a page for a person; resolves to what the program is told of it, a line. By default a sign-in. */
  readonly visit?: (url: string, person: string) => Promise<string>;
}

/** @throws Missing */
export async function runAgent(agent: AgentProgram, options: AgentOptions): Promise<readonly Finding[]> {
  const { command, args, variables } = await agent.prepare(options.home);
  const { url, apps, home, visit: open = signIn } = options;
  const child = spawn(command, [...args], {
    cwd: home,
    env: {
      ...{ PATH: process.env.PATH ?? "", HOME: home, ...variables, ...options.variables },
      ...{ URL: url, APPS: apps.join(","), REVISION: agent.revision, CALLBACK },
    },
    timeout: WITHIN_MS,
    killSignal: "SIGKILL",
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once("error", (cause) => resolve(String(cause)));
    child.once("close", (code, signal) => resolve(code ?? signal ?? "it was ended"));
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  // It may have ended when it is told where the visit led.
  child.stdin.on("error", () => undefined);
  const findings: Finding[] = [];
  for await (const line of createInterface(child.stdout)) {
    const told = line.startsWith("{") ? (JSON.parse(line) as Finding | Visit) : undefined;
    if (told === undefined) said += `${line}\n`;
    else if ("visit" in told) child.stdin.write(`${await open(told.visit, told.person ?? "")}\n`);
    else findings.push(told);
  }
  const code = await ended;
  return code === 0 ? findings : [...findings, { name: "comes to its end", error: `${code}\n${said}` }];
}

interface Visit {
  readonly visit: string;
  readonly person?: string;
}

async function signIn(url: string): Promise<string> {
  return String((await visit(url, CALLBACK)).url);
}

async function python(environment: Environment, script: string, mode = ""): Promise<Command> {
  const variables = { MODE: mode, PYTHONUNBUFFERED: "1", PYTHONDONTWRITEBYTECODE: "1" };
  return { command: await pythonOf(environment), args: [join(PYTHON, script)], variables };
}

async function go(home: string): Promise<Command> {
  return { command: await buildGo("./agent", home), args: [] };
}
