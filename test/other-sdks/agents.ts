import { join } from "node:path";
import { buildGo } from "./go.ts";
import { runToEnd } from "./process.ts";
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

/** More than all checks of one agent take together on a busy machine. */
const WITHIN_S = 120;

export interface AgentOptions {
  readonly url: string;
  readonly token: string;
  /** Names of the apps to use. */
  readonly apps: readonly string[];
  readonly home: string;
}

/** @throws Missing; Error when the program did not come to its end */
export async function runAgent(agent: AgentProgram, options: AgentOptions): Promise<readonly Finding[]> {
  const { command, args, variables } = await agent.prepare(options.home);
  const ended = await runToEnd(
    {
      command,
      args,
      variables: {
        ...variables,
        URL: options.url,
        TOKEN: options.token,
        APPS: options.apps.join(","),
        REVISION: agent.revision,
      },
      home: options.home,
    },
    WITHIN_S,
  );
  const lines = ended.stdout.split("\n").filter((line) => line.startsWith("{"));
  const findings = lines.map((line) => JSON.parse(line) as Finding);
  if (ended.code === 0) return findings;
  return [...findings, { name: "comes to its end", error: `${ended.code ?? "it was ended"}\n${ended.output}` }];
}

async function python(environment: Environment, script: string, mode = ""): Promise<Command> {
  const variables = { MODE: mode, PYTHONUNBUFFERED: "1", PYTHONDONTWRITEBYTECODE: "1" };
  return { command: await pythonOf(environment), args: [join(PYTHON, script)], variables };
}

async function go(home: string): Promise<Command> {
  return { command: await buildGo("./agent", home), args: [] };
}
