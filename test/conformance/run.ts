/**
 * Runs the conformance suite of the protocol's makers against MCP servers that have what its scenarios ask for, and through
 * the gateway before the same servers on Node and on workerd: every check has to come out the same, but for those in
 * `differences.ts`. The servers are one of our own, and the fixtures by which the SDKs for TypeScript and Go are judged by
 * their makers. Prints one line a check and `N passed, N failed`, and says what could not run for want of something.
 *
 * Needs, once: npm ci --prefix test/mcp-clients --ignore-scripts
 *              npm ci --prefix test/conformance/fixtures --ignore-scripts
 *
 * node test/conformance/run.ts [--log FILE] [direct|node|workerd]... [own|typescript|go|go-stateless]...
 *
 * By default every server, and the gateway on both runtimes, after each other. The file gets one line for each request that
 * arrives at our own server. The TypeScript fixture comes from its repository; COUNTERSIGN_TYPESCRIPT_SDK may name a clone.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Check } from "../mcp-clients/check.ts";
import { killPrograms } from "../mcp-clients/program.ts";
import { runChecks } from "../mcp-clients/run-checks.ts";
import { Missing } from "../other-sdks/missing.ts";
import { node } from "../runtimes/node.ts";
import { workerd } from "../runtimes/workerd.ts";
import { directChecks, gatewayChecks, shimChecks, type Under } from "./checks.ts";
import { FIXTURES, type Fixture, fixtures, type RunningFixture } from "./fixtures.ts";
import { createRequestLog } from "./upstream/request-log.ts";

const RUNTIMES = ["direct", "node", "workerd"];

const { values, positionals } = parseArgs({ options: { log: { type: "string" } }, allowPositionals: true });
const unknown = positionals.find((word) => ![...RUNTIMES, ...FIXTURES].includes(word));
if (unknown !== undefined) throw new Error(`${unknown}: accepted are ${[...RUNTIMES, ...FIXTURES].join(", ")}.`);
const wanted = <Name extends string>(names: readonly Name[]): readonly Name[] => {
  const named = names.filter((name) => positionals.includes(name));
  return named.length === 0 ? names : named;
};
const runtimes = [node, workerd].filter(({ name }) => wanted(RUNTIMES).includes(name));
const home = await mkdtemp(join(tmpdir(), "countersign-conformance-"));
const log = values.log === undefined ? undefined : createRequestLog(values.log);
const running: RunningFixture[] = [];
const missing: string[] = [];
try {
  const checks: Check[] = [];
  for (const fixture of fixtures(wanted(FIXTURES))) checks.push(...(await checksOf(fixture)));
  const failed = await runChecks(checks);
  for (const what of missing) console.log(`NOT RUN: ${what}`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  killPrograms();
  for (const { stop } of running) await stop();
  await rm(home, { recursive: true, force: true });
}

async function checksOf(fixture: Fixture): Promise<readonly Check[]> {
  try {
    const folder = join(home, fixture.name);
    await mkdir(folder);
    const started = await fixture.start({ home: folder, log });
    running.push(started);
    const under: Under = { fixture, upstreamURL: started.url, home, direct: new Map() };
    // What adds the token is ours, so that one server is enough to show that it changes nothing.
    const shim = fixture.isStrict ? shimChecks(under) : [];
    return [...directChecks(under), ...shim, ...runtimes.flatMap((runtime) => gatewayChecks(runtime, under))];
  } catch (cause) {
    if (!(cause instanceof Missing)) throw cause;
    missing.push(`${fixture.title}. ${cause.message}`);
    return [];
  }
}
