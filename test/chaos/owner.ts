import { setTimeout as pause } from "node:timers/promises";
import { tryDeleted, tryGrants, tryKey } from "./aftermath.ts";
import type { Answered } from "./exchange.ts";
import { anyGrants } from "./grants.ts";
import { isAcknowledged } from "./judge/history.ts";
import { addKey, changeGrants, createClient, deleteClient, revokeKey } from "./owner-requests.ts";
import type { Random } from "./random.ts";
import type { KnownClient, World } from "./world.ts";

/** Keys that a client has when the owner is content, and clients of the organization. */
const KEYS = 3;
const CLIENTS = 6;
/** Between two changes, milliseconds. */
const PAUSE = { least: 20, most: 200 };

/** Clients with keys, before anything is disturbed. */
export async function populate(world: World, random: Random): Promise<void> {
  while (livingClients(world).length < CLIENTS) await createClientWithKeys(world, random);
}

/** Changes clients and keys until told to stop; several of these run at once, never two on one client. */
export async function actAsOwner(world: World, random: Random, until: () => boolean): Promise<void> {
  while (!until()) {
    await world.gate.pass(1_000);
    if (livingClients(world).length < CLIENTS) await createClientWithKeys(world, random);
    const client = random.pick(livingClients(world).filter(({ changing }) => !changing));
    if (client !== undefined) {
      client.changing = true;
      await changeSomething(world, client, random);
      client.changing = false;
    }
    await pause(random.between(PAUSE.least, PAUSE.most));
  }
}

export function livingClients({ clients }: World): readonly KnownClient[] {
  return clients.filter(({ deleted }) => !deleted);
}

async function createClientWithKeys(world: World, random: Random): Promise<void> {
  const client = await createClient(world, anyGrants(random));
  if (client === undefined) return;
  client.changing = true;
  for (let key = 0; key < KEYS - 1; key++) await addKey(world, client, key === 0);
  client.changing = false;
}

async function changeSomething(world: World, client: KnownClient, random: Random): Promise<void> {
  const active = client.keys.filter(({ revoked }) => !revoked);
  const choice = random.next();
  if (choice < 0.06) {
    client.deleted = true;
    const revokeTokens = random.chance(0.5);
    await untilCertain(world, () => deleteClient(world, client, revokeTokens));
    await tryDeleted(world, client);
  } else if (choice < 0.5) {
    const { resources } = client.grants;
    client.grants = anyGrants(random);
    await untilCertain(world, () => changeGrants(world, client, client.grants));
    await tryGrants(world, client, random.chance(0.5) ? random.pick(resources) : undefined);
  } else if (active.length > KEYS || (active.length > 1 && choice < 0.7)) {
    const key = random.pick(active);
    if (key === undefined) return;
    key.revoked = true;
    await untilCertain(world, () => revokeKey(world, client, key));
    await tryKey(world, client, key);
  } else {
    await addKey(world, client, random.chance(0.5));
  }
}

/** Repeats a change that was lost or failed; all of these may be repeated. What is refused is done with. */
async function untilCertain(world: World, change: () => Promise<Answered>): Promise<void> {
  while (!world.failed) {
    const { exchange } = await change();
    if (isAcknowledged(exchange) || (exchange.status !== undefined && exchange.status < 500)) return;
    await world.gate.pass(1_000);
  }
}
