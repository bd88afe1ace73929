import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { RESOURCE_SERVER } from "./configuration.ts";
import { drain, introspectAll, probeKeys, readIssueEventsByPage } from "./finish.ts";
import { httpClient } from "./http.ts";
import { journalWriter } from "./journal.ts";
import { leastActivity } from "./judge/activity.ts";
import { historyOf } from "./judge/history.ts";
import { type Findings, judge } from "./judge/judge.ts";
import { actAsClients } from "./load.ts";
import type { ChaosOptions } from "./options.ts";
import { actAsOwner, populate } from "./owner.ts";
import { setUpOwner } from "./owner-requests.ts";
import { type Random, seededChoices } from "./random.ts";
import { secretsToFind } from "./secrets.ts";
import { printSummary } from "./summary.ts";
import type { Target } from "./target.ts";
import { type Tormentor, tormentor } from "./torment.ts";
import { gate, type World } from "./world.ts";

const RESULTS = fileURLToPath(new URL("../../test-results/chaos/", import.meta.url));
const CLIENT_ACTORS = 16;
const OWNER_ACTORS = 2;
/** Starts that are cut short on an empty folder. */
const FIRST_STARTS = 3;

/**
 * Disturbs a server under load, judges what came of it, prints both. Resolves to whether nothing was violated; if
 * anything was, the server's state is left for whoever wants to know why.
 */
export async function runChaos(target: Target, options: ChaosOptions): Promise<boolean> {
  const random = seededChoices(options.seed);
  const world = newWorld(target, options);
  const torment = tormentor(target, world, random.fork());
  // The server ends with this process, whose end by a signal would otherwise be too sudden for that.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  try {
    console.log(`Chaos on ${target.name}: ${options.seconds} s, seed ${options.seed}, journal ${world.journal.file}`);
    await torment.start(FIRST_STARTS);
    await setUpOwner(world);
    await populate(world, random.fork());
    await disturb(world, torment, random, options);
    await torment.restart();
    world.journal.markLastRestart();
    await probeKeys(world);
    const events = await drain(world, target);
    const paged = await readIssueEventsByPage(world);
    await introspectAll(world);
    await torment.end();
    const isFine = await report(target, world, torment, options, { events, paged });
    if (isFine) await rm(target.folder, { recursive: true });
    return isFine;
  } finally {
    await torment.end();
    world.http.close();
    world.journal.close();
    await target.close();
    if (existsSync(target.folder)) console.log(`The server's state is kept in ${target.folder}`);
  }
}

function newWorld(target: Target, { seed }: ChaosOptions): World {
  const secrets = secretsToFind();
  secrets.add("the secret of the resource server", RESOURCE_SERVER.secret);
  return {
    url: target.url,
    http: httpClient(),
    journal: journalWriter(`${RESULTS}${target.name}-${seed}.jsonl`),
    secrets,
    gate: gate(),
    clients: [],
    tokens: [],
    presented: [],
    cookie: "",
    signed: 0,
    failed: false,
  };
}

async function disturb(world: World, torment: Tormentor, random: Random, { seconds }: ChaosOptions): Promise<void> {
  const end = Date.now() + seconds * 1000;
  const isOver = () => world.failed || Date.now() >= end;
  const actors = [
    torment.torment(isOver),
    ...Array.from({ length: CLIENT_ACTORS }, () => actAsClients(world, random.fork(), isOver)),
    ...Array.from({ length: OWNER_ACTORS }, () => actAsOwner(world, random.fork(), isOver)),
  ];
  try {
    await Promise.all(actors);
  } catch (error) {
    world.failed = true;
    await Promise.allSettled(actors);
    throw error;
  }
}

async function report(
  target: Target,
  world: World,
  torment: Tormentor,
  options: ChaosOptions,
  audit: Pick<Findings, "events" | "paged">,
): Promise<boolean> {
  const history = historyOf(world.journal.journal);
  const counts = torment.counts();
  const violations = judge(history, {
    ...audit,
    stored: await target.stored(),
    leaks: [
      ...world.secrets.leaksIn("the server's log", target.logs()),
      ...world.secrets.leaksIn("the journal", readFileSync(world.journal.file, "utf8").split("\n")),
    ],
    crashes: counts.crashes,
    seesChangesAtOnce: target.seesChangesAtOnce,
    leastActivity: leastActivity(options.seconds, target),
  });
  printSummary({ target, options, counts, history, violations });
  return violations.length === 0;
}
