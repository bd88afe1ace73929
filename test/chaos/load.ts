import { setTimeout as pause } from "node:timers/promises";
import { askForToken, introspect, revokeToken, sign } from "./client-requests.ts";
import { anyWish } from "./grants.ts";
import type { Random } from "./random.ts";
import type { KnownClient, KnownKey, SignedAssertion, World } from "./world.ts";

/** Between two actions of one actor, milliseconds. */
const PAUSE = { least: 0, most: 60 };
/** How long an actor waits for a server that is away, milliseconds, before it tries all the same. */
const PATIENCE = 100;
/** Assertions that are kept for being presented again. */
const KEPT = 2_000;
/** Tokens that were issued not long ago. */
const RECENT = 200;

type Action = (world: World, random: Random) => Promise<unknown>;

/** What API clients and whoever copied their assertions do until told to stop; many of these run at once. */
export async function actAsClients(world: World, random: Random, until: () => boolean): Promise<void> {
  while (!until()) {
    await world.gate.pass(PATIENCE);
    await chooseAction(random)(world, random);
    await pause(random.between(PAUSE.least, PAUSE.most));
  }
}

/** Requests at once, for a kill to meet them on their way. */
export async function burst(world: World, random: Random, requests: number): Promise<void> {
  await Promise.all(Array.from({ length: requests }, () => presentOnce(world, random)));
}

/** Cumulative shares. */
const ACTIONS: readonly (readonly [number, Action])[] = [
  [0.6, presentOnce],
  [0.66, (world, random) => presentTogether(world, random, 2)],
  [0.68, (world, random) => presentTogether(world, random, 10)],
  [0.74, presentAgain],
  [0.77, presentIdAgain],
  [0.79, presentAtTwoEndpoints],
  [0.95, introspectAny],
  [1, revokeAny],
];

function chooseAction(random: Random): Action {
  const choice = random.next();
  return ACTIONS.find(([share]) => choice < share)?.[1] ?? presentOnce;
}

async function presentOnce(world: World, random: Random): Promise<void> {
  const signed = await newAssertion(world, random);
  if (signed !== undefined) await askForToken(world, signed, anyWish(random));
}

async function presentTogether(world: World, random: Random, times: number): Promise<void> {
  const signed = await newAssertion(world, random);
  if (signed === undefined) return;
  await Promise.all(Array.from({ length: times }, () => askForToken(world, signed)));
}

/** One that was presented before, perhaps in an earlier life of the server. */
async function presentAgain(world: World, random: Random): Promise<void> {
  const signed = random.pick(world.presented);
  if (signed !== undefined) await askForToken(world, signed);
}

/** Another assertion, perhaps of another key, with a `jti` that was presented before. */
async function presentIdAgain(world: World, random: Random): Promise<void> {
  const earlier = random.pick(world.presented);
  const client = world.clients.find(({ clientId }) => clientId === earlier?.assertion.client);
  const key = random.pick(client?.keys ?? []);
  if (earlier === undefined || client === undefined || key === undefined) return;
  await askForToken(world, await sign(world, client, key, earlier.assertion.jti));
}

async function presentAtTwoEndpoints(world: World, random: Random): Promise<void> {
  const token = random.pick(world.tokens);
  const signed = token === undefined ? undefined : await newAssertion(world, random, token.client);
  if (token === undefined || signed === undefined) return;
  await Promise.all([askForToken(world, signed), introspect(world, token, signed)]);
}

async function introspectAny(world: World, random: Random): Promise<void> {
  const token = random.pick(random.chance(0.5) ? world.tokens.slice(-RECENT) : world.tokens);
  if (token !== undefined) await introspect(world, token);
}

async function revokeAny(world: World, random: Random): Promise<void> {
  const token = random.pick(world.tokens.slice(-RECENT));
  const signed = token === undefined ? undefined : await newAssertion(world, random, token.client);
  if (token === undefined || signed === undefined) return;
  await revokeToken(world, token, signed);
  await introspect(world, token);
}

/** Of any client with any of its keys: mostly of those that are good. */
async function newAssertion(
  world: World,
  random: Random,
  client: KnownClient | undefined = anyClient(world, random),
): Promise<SignedAssertion | undefined> {
  const key = anyKey(client, random);
  if (client === undefined || key === undefined) return undefined;
  const signed = await sign(world, client, key);
  if (world.presented.length < KEPT) world.presented.push(signed);
  else world.presented[random.between(0, KEPT - 1)] = signed;
  return signed;
}

function anyClient({ clients }: World, random: Random): KnownClient | undefined {
  const living = clients.filter(({ deleted }) => !deleted);
  return random.pick(random.chance(0.95) ? living : clients);
}

function anyKey(client: KnownClient | undefined, random: Random): KnownKey | undefined {
  const keys = client?.keys ?? [];
  const active = keys.filter(({ revoked }) => !revoked);
  return random.pick(random.chance(0.95) ? active : keys);
}
