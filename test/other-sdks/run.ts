/**
 * Runs agents made with SDKs of others against the gateway on Node: the Python SDK in versions 1 and 2 and the Go SDK, in each
 * generation of the protocol that they speak. Each registers and signs a person in. Behind the gateway are an API, an MCP
 * server of the TypeScript SDK, and servers made with FastMCP 2 and 4. Those of the Python SDK also come to a gateway whose people
 * connect an account each: with URL-mode elicitation and without. Prints one line a check and `N passed, N failed`, and
 * says what could not run for want of Python, Go or a registry of their packages. The versions are in `python/requirements`
 * and `go/go.mod`.
 *
 * node test/other-sdks/run.ts [TEXT]
 *
 * With a text, only agents whose names have it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionsUnderTest, startConnections } from "../behaviour/connections/fixture.ts";
import { mcpURL } from "../behaviour/gateway-fixture.ts";
import { node } from "../runtimes/node.ts";
import { freePort } from "../support/free-port.ts";
import { AGENTS, type AgentProgram, CONNECTING, runAgent } from "./agents.ts";
import { startGuarding } from "./gateway.ts";
import { knownFailure } from "./known-failures.ts";
import { Missing } from "./missing.ts";
import { serve } from "./process.ts";
import { type Environment, PYTHON, pythonOf } from "./python.ts";
import { startToolboxAPI, startToolboxServer } from "./toolbox.ts";

/** Servers of FastMCP, by the names of their apps. */
const FASTMCP: Readonly<Record<string, Environment>> = { fastmcp2: "fastmcp-2", fastmcp4: "fastmcp-4" };

const [wanted = ""] = process.argv.slice(2);
const home = await mkdtemp(join(tmpdir(), "countersign-other-sdks-"));
const running: { stop(): Promise<void> }[] = [];
const missing: string[] = [];
let [passed, failed] = [0, 0];
try {
  const api = ended(await startToolboxAPI());
  const servers = { typescript: ended(await startToolboxServer()).url, ...(await startFastMCP()) };
  const guarding = ended(await startGuarding(api.url, servers));
  for (const agent of AGENTS.filter(({ title }) => title.includes(wanted))) {
    const options = {
      url: guarding.url,
      apps: ["bridge", ...Object.keys(servers)],
      home,
    };
    const findings = await orMissing(agent.title, () => runAgent(agent, options));
    for (const { name, error } of findings ?? []) tell(`${agent.title}: ${name}`, error);
  }
  const connecting = CONNECTING.filter(({ title }) => title.includes(wanted));
  if (connecting.length > 0) {
    const connections = ended(await startConnections(node));
    for (const agent of connecting) {
      const findings = await orMissing(agent.title, () => runConnecting(agent, connections));
      for (const { name, error } of findings ?? []) tell(`${agent.title}: ${name}`, error);
    }
  }
  if (failed > 0) console.log(guarding.complaints().slice(-20).join("\n"));
} finally {
  for (const part of running.reverse()) await part.stop();
  await rm(home, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
for (const what of missing) console.log(`NOT RUN: ${what}`);
process.exitCode = failed === 0 ? 0 : 1;

/** Each check is about another person, who is called so at the provider, too. */
async function runConnecting(agent: AgentProgram, it: ConnectionsUnderTest) {
  const logins = Object.fromEntries(
    ["plain", "url", "desk"].map((check) => [check, `${check}-${agent.title.replaceAll(/\W+/g, "-")}`]),
  );
  const tokens: Record<string, string> = {};
  for (const [check, login] of Object.entries(logins)) tokens[check] = (await it.agentOf(login)).token;
  return runAgent(agent, {
    ...{ url: mcpURL(it.us), apps: [], home },
    variables: { TOKENS: JSON.stringify(tokens), LOGINS: JSON.stringify(logins) },
    visit: async (link, check) => {
      await it.walk(link, logins[check] ?? "");
      return "connected";
    },
  });
}

async function startFastMCP(): Promise<Record<string, string>> {
  const urls: Record<string, string> = {};
  for (const [app, environment] of Object.entries(FASTMCP)) {
    await orMissing(`a server made with ${environment}`, async () => {
      const port = String(await freePort());
      const command = await pythonOf(environment);
      const variables = { PORT: port, FASTMCP_CHECK_FOR_UPDATES: "off", PYTHONDONTWRITEBYTECODE: "1" };
      const args = [join(PYTHON, "server.py")];
      ended(await serve({ command, args, variables, home }, /Uvicorn running on/));
      urls[app] = `http://127.0.0.1:${port}/mcp`;
    });
  }
  return urls;
}

/** What is missing is told at the end. */
async function orMissing<T>(title: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Missing)) throw cause;
    missing.push(`${title}. ${cause.message}`);
    return undefined;
  }
}

function tell(name: string, error: string | null): void {
  const known = knownFailure(name);
  if (known !== undefined && error !== null) {
    console.log(`known   ${name}: ${known.reason}`);
    return;
  }
  const problem = known === undefined ? error : "It passes: take it out of known-failures.ts.";
  if (problem === null) passed++;
  else failed++;
  console.log(problem === null ? `passed  ${name}` : `failed  ${name}\n${problem}`);
}

/** It is stopped in the end, whatever becomes of the checks. */
function ended<T extends { stop(): Promise<void> }>(part: T): T {
  running.push(part);
  return part;
}
