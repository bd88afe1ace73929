/**
 * Runs MCP servers as people install them behind one gateway on Node, all at once, and the clients of the protocol's SDK
 * before it: what they get must be what the servers say directly. Prints one line a check and `N passed, N failed`.
 *
 * Needs, once: npm ci --prefix test/mcp-servers --ignore-scripts
 *
 * node test/mcp-servers/run.ts [TEXT]
 *
 * With a text, only checks whose names have it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChecks } from "../mcp-clients/run-checks.ts";
import { browserChecks } from "./checks/browser.ts";
import { callChecks } from "./checks/calls.ts";
import { conversationChecks } from "./checks/conversations.ts";
import { documentationChecks } from "./checks/documentation.ts";
import { listChecks } from "./checks/lists.ts";
import { noticeChecks } from "./checks/notices.ts";
import { restartChecks } from "./checks/restarts.ts";
import { taskChecks } from "./checks/tasks.ts";
import { startDocumentation } from "./documentation.ts";
import { startGuarding } from "./gateway.ts";
import { startPage } from "./page.ts";
import { killServers, killServersNow } from "./program.ts";
import { startServers } from "./servers.ts";

const [wanted = ""] = process.argv.slice(2);
const home = await mkdtemp(join(tmpdir(), "countersign-mcp-servers-"));
const running: { stop(): Promise<void> }[] = [];

/** It is stopped in the end, whatever becomes of the checks. */
function ended<T extends { stop(): Promise<void> }>(part: T): T {
  running.push(part);
  return part;
}

async function end(): Promise<void> {
  for (const part of running.splice(0).reverse()) await part.stop();
  await killServers();
  await rm(home, { recursive: true, force: true });
}

// Also after a rejection that nobody caught.
process.once("exit", killServersNow);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void end().finally(() => process.exit(1)));
try {
  const page = ended(await startPage());
  const documentation = ended(await startDocumentation());
  const servers = await startServers(home, documentation.url);
  const guarding = ended(await startGuarding(servers));
  const under = { servers, guarding, page, documentation };
  const checks = [
    ...listChecks(under),
    ...callChecks(under),
    ...conversationChecks(under),
    ...taskChecks(under),
    ...noticeChecks(under),
    ...browserChecks(under),
    ...documentationChecks(under),
    ...restartChecks(under),
  ];
  const failed = await runChecks(checks.filter(({ name }) => name.includes(wanted)));
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await end();
}
