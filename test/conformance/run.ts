/**
 * Runs the conformance suite of the protocol's makers against an MCP server of our own, and through the gateway before the
 * same server on Node and on workerd: every check has to come out the same. Prints one line a check and `N passed, N failed`.
 *
 * Needs, once: npm ci --prefix test/mcp-clients --ignore-scripts
 *
 * node test/conformance/run.ts [--log FILE] [direct|node|workerd]...
 *
 * By default the gateway runs on both runtimes, after each other. The file gets one line for each request that arrives at the
 * MCP server.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { killPrograms } from "../mcp-clients/program.ts";
import { runChecks } from "../mcp-clients/run-checks.ts";
import { node } from "../runtimes/node.ts";
import { workerd } from "../runtimes/workerd.ts";
import { directChecks, gatewayChecks, shimChecks, type Under } from "./checks.ts";
import { createRequestLog } from "./upstream/request-log.ts";
import { startConformanceUpstream } from "./upstream/server.ts";

const { values, positionals } = parseArgs({ options: { log: { type: "string" } }, allowPositionals: true });
const wanted = new Set(positionals);
const runtimes = [node, workerd].filter(({ name }) => wanted.size === 0 || wanted.has(name));
const home = await mkdtemp(join(tmpdir(), "countersign-conformance-"));
const upstream = await startConformanceUpstream(values.log === undefined ? {} : { log: createRequestLog(values.log) });
try {
  const under: Under = { upstreamURL: upstream.url, home, direct: new Map() };
  const failed = await runChecks([
    ...directChecks(under),
    ...shimChecks(under),
    ...runtimes.flatMap((runtime) => gatewayChecks(runtime, under)),
  ]);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  killPrograms();
  await upstream.stop();
  await rm(home, { recursive: true, force: true });
}
