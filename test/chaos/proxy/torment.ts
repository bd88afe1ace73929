import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../random.ts";
import { MOODS, type Mood } from "./upstream/moods.ts";
import type { UpstreamProcess } from "./upstream-process.ts";
import type { World } from "./world.ts";

/** Milliseconds. */
interface Span {
  readonly least: number;
  readonly most: number;
}

const GATEWAY_LIFE: Span = { least: 3_000, most: 12_000 };
/** Often longer than a circuit stays open. */
const CALM: Span = { least: 500, most: 16_000 };
const DEATH: Span = { least: 0, most: 1_500 };
/** Long enough for calls to run into their limit, and not for all of them. */
const HANGING: Span = { least: 500, most: 5_000 };
const BAD_MOOD: Span = { least: 100, most: 800 };
const MEMORY_EVERY = 500;

/** Kills the gateway and starts it again on its store. */
export async function tormentGateway(random: Random, world: World, isOver: () => boolean): Promise<void> {
  const { gateway, journal, gate } = world;
  while (!isOver()) {
    await rest(GATEWAY_LIFE, random, isOver);
    if (isOver()) return;
    gate.close();
    await journal.disturb("kill", "gateway", async () => {
      if (!(await gateway.kill())) throw new Error("The gateway had ended by itself.");
      await gateway.start();
    });
    gate.open();
  }
}

/** Several of them among as many troubles as there are moods. */
const KILLS = 4;

/** Kills one upstream, or has it misbehave: everything once before anything again. */
export async function tormentUpstream(
  upstream: UpstreamProcess,
  random: Random,
  { journal }: World,
  isOver: () => boolean,
): Promise<void> {
  let next: readonly (Mood | "kill")[] = [];
  while (!isOver()) {
    await rest(CALM, random, isOver);
    if (isOver()) return;
    if (next.length === 0) next = shuffled(troublesOf(upstream), random);
    const [mood = "kill", ...others] = next;
    next = others;
    await journal.disturb(mood, upstream.settings.name, () => trouble(mood, upstream, random));
  }
}

function troublesOf({ settings }: UpstreamProcess): readonly (Mood | "kill")[] {
  const moods = MOODS.filter((mood) => mood !== "forget" || settings.generation === "session");
  return [...Array<"kill">(KILLS).fill("kill"), ...moods];
}

function shuffled<T>(list: readonly T[], random: Random): readonly T[] {
  const ordered = list.map((one) => ({ one, order: random.next() })).sort((a, b) => a.order - b.order);
  return ordered.map(({ one }) => one);
}

async function trouble(kind: Mood | "kill", upstream: UpstreamProcess, random: Random): Promise<void> {
  if (kind === "kill") return restart(upstream, random);
  upstream.be(kind);
  const span = kind === "hang" ? HANGING : BAD_MOOD;
  const time = random.between(span.least, span.most);
  if (await upstream.ended(time)) return restart(upstream, random);
  upstream.be("normal");
}

async function restart(upstream: UpstreamProcess, random: Random): Promise<void> {
  await upstream.kill();
  await pause(random.between(DEATH.least, DEATH.most));
  await upstream.start();
}

/** Notes how much the gateway holds. */
export async function watchMemory({ gateway, memory }: World, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await pause(MEMORY_EVERY);
    const now = gateway.memory();
    if (now !== undefined) memory.push(now);
  }
}

async function rest({ least, most }: Span, random: Random, isOver: () => boolean): Promise<void> {
  const end = Date.now() + random.between(least, most);
  while (Date.now() < end && !isOver()) await pause(Math.min(100, Math.max(1, end - Date.now())));
}
