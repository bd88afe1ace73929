import { askForToken, introspect, sign } from "./client-requests.ts";
import type { KnownClient, KnownKey, World } from "./world.ts";

/** Requests at once: their `jti`s differ, so they meet in several places of a store that is spread. */
const REQUESTS = 4;
/** Tokens of a deleted client that are looked at. */
const TOKENS = 8;

/** What had an end is tried at once, before anything could have caught up. The judge knows what must not succeed. */
export async function tryKey(world: World, client: KnownClient, key: KnownKey): Promise<void> {
  await together(async () => {
    await askForToken(world, await sign(world, client, key));
  });
}

/** Everything that the client has now, at the audience that a resource names too. */
export async function tryGrants(world: World, client: KnownClient, resource: string | undefined): Promise<void> {
  const key = client.keys.find(({ revoked }) => !revoked);
  if (key === undefined) return;
  const wish = resource === undefined ? {} : { resource };
  await together(async () => {
    await askForToken(world, await sign(world, client, key), wish);
  });
}

export async function tryDeleted(world: World, client: KnownClient): Promise<void> {
  const tokens = world.tokens.filter((token) => token.client === client).slice(-TOKENS);
  const [key] = client.keys;
  await Promise.all([
    ...tokens.map((token) => introspect(world, token)),
    ...(key === undefined ? [] : [tryKey(world, client, key)]),
  ]);
}

async function together(request: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: REQUESTS }, request));
}
