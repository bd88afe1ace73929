import { deleteApiClient, listApiClients, showApiClient } from "../../../lib/api-clients/administration.ts";
import { addKeyPair, revokeKeyPair } from "../../../lib/api-clients/key-pairs.ts";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { representApiClient, representKeyPair } from "../../../lib/management/representations/api-clients.ts";
import type { ApiClientRecord } from "../../../lib/stores/api-clients.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { administer, administerExisting, required } from "./administer.ts";
import { STORE_FLAGS } from "./embedded-store.ts";
import { addGeneratedKey, createClientWithKey } from "./generated-key.ts";
import { withKeyFile } from "./key-file.ts";
import { jsonLine, LISTING_FLAGS, listed } from "./listed.ts";
import { readKey } from "./read-key.ts";

type Action = (args: readonly string[], io: CommandIo) => Promise<object | string>;

const ACTIONS: Readonly<Record<string, Action>> = {
  create,
  list,
  show,
  delete: remove,
  "add-key": addKey,
  "revoke-key": revokeKey,
};

/**
 * `countersign client create|list|show|delete|add-key|revoke-key`: administers API clients of the embedded store of this
 * machine, in its first organization. Prints one JSON object.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const [name = "", ...rest] = args;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    throw new UsageError(`countersign client needs one of ${Object.keys(ACTIONS).join(", ")} first.`);
  }
  const done = await action(rest, io);
  io.stdout(typeof done === "string" ? done : jsonLine(done));
  return 0;
}

/** `-name N [-description D] [-scopes a,b] [-resources URL,…] -keyOut FILE`: a client with one key pair. */
async function create(args: readonly string[], io: CommandIo): Promise<object> {
  const kinds = { name: "string", description: "string", scopes: "string", resources: "string" } as const;
  const flags = parseFlags(args, { ...STORE_FLAGS, ...kinds, keyOut: "string" });
  const { name, description } = flags;
  const input = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    scopes: listOf(flags.scopes),
    resources: listOf(flags.resources),
  };
  // The file comes first, so that nothing is made whose key could not be kept.
  return withKeyFile(required(flags.keyOut, "keyOut FILE"), (file) =>
    administer(flags, io, async (dependencies, actor) => {
      const { client, keyPair } = await createClientWithKey(dependencies, actor, input, file);
      const { keyPairs: _, ...shown } = representApiClient(client);
      return { ...shown, keyPairId: keyPair.keyPairId, fingerprint: keyPair.fingerprint };
    }),
  );
}

async function list(args: readonly string[], io: CommandIo): Promise<string> {
  const flags = parseFlags(args, { ...STORE_FLAGS, ...LISTING_FLAGS });
  return administerExisting(flags, io, async (dependencies, { organizationId }) => {
    const items = (await allClients(dependencies, organizationId)).map(representApiClient);
    return listed({ items }, items, ["clientId", "name", "scopes", "createdAt"], flags, io);
  });
}

/** `-client ID` */
async function show(args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, client: "string" });
  const clientId = required(flags.client, "client ID");
  return administerExisting(flags, io, async (dependencies, { organizationId }) =>
    representApiClient(await showApiClient(dependencies, organizationId, clientId)),
  );
}

/** `-client ID [-revokeTokens]` */
async function remove(args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, client: "string", revokeTokens: "boolean" });
  const clientId = required(flags.client, "client ID");
  const revokeTokens = flags.revokeTokens === true;
  return administerExisting(flags, io, async (dependencies, actor) => {
    await deleteApiClient(dependencies, actor, { clientId }, { revokeTokens });
    return { clientId, status: "deleted", revokeTokens };
  });
}

async function allClients(dependencies: Dependencies, organizationId: string): Promise<readonly ApiClientRecord[]> {
  const found: ApiClientRecord[] = [];
  let cursor: string | undefined;
  do {
    const request = { limit: 200, ...(cursor !== undefined && { cursor }) };
    const page = await listApiClients(dependencies, organizationId, request);
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

function listOf(text = ""): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** `-client ID` with `-keyOut FILE` for a generated pair, or with `-publicKey FILE` for the registration of one. */
async function addKey(args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, client: "string", keyOut: "string", publicKey: "string" });
  const clientId = required(flags.client, "client ID");
  if ((flags.keyOut === undefined) === (flags.publicKey === undefined)) {
    throw new UsageError("Name either -keyOut FILE, for a generated key, or -publicKey FILE, for your own.");
  }
  if (flags.publicKey !== undefined) {
    const publicKey = await readKey(flags.publicKey);
    return administerExisting(flags, io, async (dependencies, actor) => {
      const { keyPair } = await addKeyPair(dependencies, actor, { clientId }, publicKey);
      return { clientId, ...representKeyPair(keyPair) };
    });
  }
  return withKeyFile(required(flags.keyOut, "keyOut FILE"), (file) =>
    administerExisting(flags, io, async (dependencies, actor) => ({
      clientId,
      ...representKeyPair(await addGeneratedKey(dependencies, actor, clientId, file)),
    })),
  );
}

/** `-client ID -keyPair ID` */
async function revokeKey(args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, client: "string", keyPair: "string" });
  const clientId = required(flags.client, "client ID");
  const keyPairId = required(flags.keyPair, "keyPair ID");
  return administerExisting(flags, io, async (dependencies, actor) => ({
    clientId,
    ...representKeyPair(await revokeKeyPair(dependencies, actor, { clientId }, keyPairId)),
  }));
}
