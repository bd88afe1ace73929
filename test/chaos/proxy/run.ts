import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../../support/free-port.ts";
import { type Issuer, startIssuer } from "../../support/token-issuer.ts";
import { type ChaosOptions, chaosOptions } from "../options.ts";
import { seededChoices } from "../random.ts";
import { gate } from "../world.ts";
import { untilAllWorks } from "./aftermath.ts";
import { type Agent, startAgent } from "./agent.ts";
import { AGENTS, principalText, UPSTREAMS, VISITOR } from "./cast.ts";
import { urlVariable } from "./configuration.ts";
import { recordsIn, takenBy } from "./evidence.ts";
import { gatewayProcess } from "./gateway-process.ts";
import { journalWriter } from "./journal.ts";
import { leastActivity } from "./judge/activity.ts";
import type { Findings } from "./judge/findings.ts";
import { judge } from "./judge/judge.ts";
import { listenAsAgent } from "./listen.ts";
import { actAsAgent, actAsVisitor } from "./load.ts";
import { printSummary } from "./summary.ts";
import { tormentGateway, tormentUpstream, watchMemory } from "./torment.ts";
import { upstreamProcess } from "./upstream-process.ts";
import type { World } from "./world.ts";

// `node test/chaos/proxy/run.ts [-seconds 120] [-seed N]`: a gateway before MCP servers, all of them killed and disturbed under load.
const options = chaosOptions(process.argv.slice(2));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.exitCode = (await run(options)) ? 0 : 1;

/** Resolves to whether nothing was violated; if anything was, the state of all is left for whoever wants to know why. */
async function run(chosen: ChaosOptions): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-chaos-proxy-"));
  console.log(`Chaos at the proxy: ${chosen.seconds} s, seed ${chosen.seed}, evidence in ${folder}`);
  const issuer = await startIssuer();
  const world = await newWorld(folder, issuer, chosen);
  try {
    await Promise.all(world.upstreams.map((upstream) => upstream.start()));
    await world.gateway.start();
    world.gate.open();
    const agents = await Promise.all(AGENTS.map((role) => startAgent(role, role.name, world)));
    const unrecovered = await disturb(agents, world, chosen);
    await end(world);
    const findings = findingsOf(world, unrecovered, chosen);
    const violations = judge(findings);
    printSummary(chosen, findings, world.memory, violations);
    if (violations.length === 0) await rm(folder, { recursive: true });
    else console.log(`The evidence is kept in ${folder}`);
    return violations.length === 0;
  } finally {
    await end(world);
    world.journal.close();
    await issuer.stop();
  }
}

async function newWorld(folder: string, issuer: Issuer, { seed }: ChaosOptions): Promise<World> {
  const ports = await freePorts(UPSTREAMS.length);
  const upstreams = UPSTREAMS.map(({ name, generation, isSlow }, index) =>
    upstreamProcess({ name, generation, isSlow, port: ports[index] ?? 0, logFile: join(folder, `${name}.jsonl`) }),
  );
  const urls = upstreams.map(({ settings, url }) => [urlVariable(settings.name), url] as const);
  const variables = { ...Object.fromEntries(urls), ISSUER_METADATA: issuer.wellKnown };
  const gateway = await gatewayProcess({ folder, variables });
  const audience = `${gateway.url}/mcp`;
  const tokens = await Promise.all(
    [...AGENTS, VISITOR].map(async (role) => [principalText(role), await issuer.issue(audience, role)] as const),
  );
  return {
    folder,
    gateway,
    upstreams,
    journal: journalWriter(join(folder, "journal.jsonl")),
    random: seededChoices(seed),
    gate: gate(),
    tokens: new Map(tokens),
    memory: [],
    nonces: 0,
  };
}

/** Load and torment for as long as was chosen, then load alone. Resolves to what did not recover. */
async function disturb(agents: readonly Agent[], world: World, { seconds }: ChaosOptions): Promise<readonly string[]> {
  const { random, upstreams } = world;
  const end = Date.now() + seconds * 1000;
  let hasFailed = false;
  const isOver = () => hasFailed || Date.now() >= end;
  const over = new AbortController();
  const streams = agents
    .filter(({ label }) => label !== undefined)
    .map((agent) => listenAsAgent(agent, world, over.signal));
  const actors = [
    tormentGateway(random.fork(), world, isOver),
    ...upstreams.map((upstream) => tormentUpstream(upstream, random.fork(), world, isOver)),
    ...agents.map((agent) => actAsAgent(agent, random.fork(), world, isOver)),
    actAsVisitor(random.fork(), world, isOver),
    watchMemory(world, isOver),
  ];
  try {
    await Promise.all(actors);
    return await untilAllWorks(agents, world);
  } catch (cause) {
    hasFailed = true;
    await Promise.allSettled(actors);
    throw cause;
  } finally {
    over.abort();
    await Promise.all(streams);
  }
}

function findingsOf(
  { journal, upstreams, gateway }: World,
  unrecovered: readonly string[],
  chosen: ChaosOptions,
): Findings {
  return {
    journal: journal.journal,
    taken: takenBy(upstreams.map(({ settings }) => settings.logFile)),
    records: recordsIn(gateway.database),
    unrecovered,
    logged: gateway.lines.filter((line) => /"level":"error"/i.test(line)),
    least: leastActivity(chosen.seconds),
  };
}

/** SIGKILL for everything that still runs: what counts is on disk. */
async function end({ gateway, upstreams }: World): Promise<void> {
  await gateway.kill();
  await Promise.all(upstreams.map((upstream) => upstream.kill()));
}
