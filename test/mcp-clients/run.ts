/**
 * Runs MCP clients as people install them against the gateway on Node: the Inspector's command line, `mcp-remote` and the
 * conformance suite; and against the quickstart by what is shown there: those two, Claude Code and the SDKs in TypeScript and
 * Python. Prints one line a check, what could not run for want of a registry or Python, and `N passed, N failed`.
 *
 * Needs, once: npm ci --prefix test/mcp-clients --ignore-scripts
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectionsConfiguration } from "../behaviour/connections/configuration.ts";
import { startConnections } from "../behaviour/connections/fixture.ts";
import { startMcpClients } from "../behaviour/mcp-clients/under-test.ts";
import { node } from "../runtimes/node.ts";
import { authorizationServerChecks } from "./conformance/authorization-server.ts";
import { conformanceChecks } from "./conformance/checks.ts";
import { connectingChecks, scenarioApp } from "./conformance/connecting.ts";
import { startConformanceGateway } from "./conformance/gateway.ts";
import { inspectorChecks } from "./inspector.ts";
import { mcpRemoteChecks } from "./mcp-remote.ts";
import { killPrograms } from "./program.ts";
import { quickstartChecks, startQuickstart } from "./quickstart.ts";
import { runChecks } from "./run-checks.ts";

const home = await mkdtemp(join(tmpdir(), "countersign-mcp-clients-"));
const running: { stop(): Promise<void> }[] = [];
try {
  const gateway = await startMcpClients(node);
  running.push(gateway);
  const conformance = await startConformanceGateway();
  running.push(conformance);
  const connections = await startConnections(node, connectionsConfiguration + scenarioApp);
  running.push(connections);
  const quickstart = await startQuickstart(home);
  running.push(quickstart);
  const failed = await runChecks([
    ...(await quickstartChecks(quickstart, home)),
    ...inspectorChecks(gateway, home),
    ...mcpRemoteChecks(gateway, home),
    ...conformanceChecks(conformance.mcpURL, home),
    ...connectingChecks(connections, home),
    ...authorizationServerChecks(home),
  ]);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  killPrograms();
  for (const part of running.reverse()) await part.stop();
  await rm(home, { recursive: true, force: true });
}
