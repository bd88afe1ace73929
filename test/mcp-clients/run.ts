/**
 * Runs MCP clients as people install them against the gateway on Node: the Inspector's command line, `mcp-remote` and the
 * conformance suite. Prints one line a check and `N passed, N failed`.
 *
 * Needs, once: npm ci --prefix test/mcp-clients --ignore-scripts
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMcpClients } from "../behaviour/mcp-clients/under-test.ts";
import { node } from "../runtimes/node.ts";
import type { Check } from "./check.ts";
import { authorizationServerChecks } from "./conformance/authorization-server.ts";
import { conformanceChecks } from "./conformance/checks.ts";
import { startConformanceGateway } from "./conformance/gateway.ts";
import { inspectorChecks } from "./inspector.ts";
import { mcpRemoteChecks } from "./mcp-remote.ts";
import { killPrograms } from "./program.ts";

/** Longer than any program may take; `mcp-remote` has no limit of its own. */
const CHECK_WITHIN_MS = 90_000;

const home = await mkdtemp(join(tmpdir(), "countersign-mcp-clients-"));
const running: { stop(): Promise<void> }[] = [];
try {
  const gateway = await startMcpClients(node);
  running.push(gateway);
  const conformance = await startConformanceGateway();
  running.push(conformance);
  const failed = await runChecks([
    ...inspectorChecks(gateway, home),
    ...mcpRemoteChecks(gateway, home),
    ...conformanceChecks(conformance.mcpURL, home),
    ...authorizationServerChecks(home),
  ]);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  killPrograms();
  for (const part of running.reverse()) await part.stop();
  await rm(home, { recursive: true, force: true });
}

/** Resolves to how many failed. */
async function runChecks(checks: readonly Check[]): Promise<number> {
  let failed = 0;
  for (const { name, run } of checks) {
    try {
      await Promise.race([run(), tooLong()]);
      console.log(`passed  ${name}`);
    } catch (error) {
      failed++;
      console.log(`failed  ${name}\n${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  return failed;
}

function tooLong(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`took longer than ${CHECK_WITHIN_MS / 1000} s`)), CHECK_WITHIN_MS).unref();
  });
}
