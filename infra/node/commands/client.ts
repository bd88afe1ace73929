import { readFile } from "node:fs/promises";
import {
  type AddedKeyPair,
  type Administrator,
  addKeyPair,
  createApiClient,
  deleteApiClient,
  revokeKeyPair,
  showApiClient,
} from "../../../lib/api-clients/administration.ts";
import { representApiClient, representKeyPair } from "../../../lib/api-clients/representation.ts";
import type { Dependencies } from "../../../lib/dependencies.ts";
import { ensureOrganization } from "../../../lib/directory/first-owner.ts";
import type { ApiClientRecord } from "../../../lib/stores/api-clients.ts";
import { fileErrorReason } from "../file-error.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { operatorId, STORE_FLAGS, type StoreFlags, withEmbeddedStore } from "./embedded-store.ts";
import { reserveKeyFile } from "./key-file.ts";

type Action = (args: readonly string[], io: CommandIo) => Promise<object>;

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
  io.stdout(`${JSON.stringify(await action(rest, io))}\n`);
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
  return withKeyFile(required(flags.keyOut, "keyOut FILE"), (write) =>
    administer(flags, io, async (dependencies, actor) => {
      const client = await createApiClient(dependencies, actor, input);
      const added = await addKeyPair(dependencies, actor, { clientId: client.clientId });
      write(added);
      const { keyPairId, fingerprint } = added.keyPair;
      const { keyPairs: _, ...shown } = representApiClient(client);
      return { ...shown, keyPairId, fingerprint };
    }),
  );
}

async function list(args: readonly string[], io: CommandIo): Promise<object> {
  return administer(parseFlags(args, STORE_FLAGS), io, async (dependencies, { organizationId }) => {
    const clients = await allClients(dependencies, organizationId);
    return { items: clients.map(representApiClient) };
  });
}

/** `-client ID` */
async function show(args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, client: "string" });
  const clientId = required(flags.client, "client ID");
  return administer(flags, io, async (dependencies, { organizationId }) =>
    representApiClient(await showApiClient(dependencies, organizationId, clientId)),
  );
}

/** `-client ID [-revokeTokens]` */
async function remove(args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, client: "string", revokeTokens: "boolean" });
  const clientId = required(flags.client, "client ID");
  const revokeTokens = flags.revokeTokens === true;
  return administer(flags, io, async (dependencies, actor) => {
    await deleteApiClient(dependencies, actor, { clientId }, { revokeTokens });
    return { clientId, status: "deleted", revokeTokens };
  });
}

/** `-client ID` with `-keyOut FILE` for a generated pair, or with `-publicKey FILE` for the registration of one. */
async function addKey(args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, client: "string", keyOut: "string", publicKey: "string" });
  const clientId = required(flags.client, "client ID");
  if ((flags.keyOut === undefined) === (flags.publicKey === undefined)) {
    throw new UsageError("Name either -keyOut FILE, for a generated key, or -publicKey FILE, for your own.");
  }
  const add = (publicKey?: string) => (dependencies: Dependencies, actor: Administrator) =>
    addKeyPair(dependencies, actor, { clientId }, publicKey);
  if (flags.publicKey !== undefined) {
    const added = await administer(flags, io, add(await readKey(flags.publicKey)));
    return { clientId, ...representKeyPair(added.keyPair) };
  }
  return withKeyFile(required(flags.keyOut, "keyOut FILE"), async (write) => {
    const added = await administer(flags, io, add());
    write(added);
    return { clientId, ...representKeyPair(added.keyPair) };
  });
}

/** `-client ID -keyPair ID` */
async function revokeKey(args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, client: "string", keyPair: "string" });
  const clientId = required(flags.client, "client ID");
  const keyPairId = required(flags.keyPair, "keyPair ID");
  return administer(flags, io, async (dependencies, actor) => ({
    clientId,
    ...representKeyPair(await revokeKeyPair(dependencies, actor, { clientId }, keyPairId)),
  }));
}

function administer<T>(
  flags: StoreFlags,
  io: CommandIo,
  work: (dependencies: Dependencies, actor: Administrator) => Promise<T>,
): Promise<T> {
  return withEmbeddedStore(flags, io, async (dependencies) => {
    const { organizationId } = await ensureOrganization(dependencies);
    return work(dependencies, { id: operatorId(), organizationId });
  });
}

/** Reserves the key's file first, so that nothing is made whose key could not be kept. */
async function withKeyFile<T>(path: string, work: (write: (added: AddedKeyPair) => void) => Promise<T>): Promise<T> {
  const file = reserveKeyFile(path);
  try {
    return await work(({ privateKeyPem = "" }) => file.write(privateKeyPem));
  } finally {
    file.close();
  }
}

async function allClients(dependencies: Dependencies, organizationId: string): Promise<readonly ApiClientRecord[]> {
  const found: ApiClientRecord[] = [];
  let cursor: string | undefined;
  do {
    const request = { limit: 200, ...(cursor !== undefined && { cursor }) };
    const page = await dependencies.stores.apiClients.list(organizationId, request);
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

async function readKey(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${fileErrorReason(error)}.`);
  });
}

function required(value: string | undefined, flag: string): string {
  if (value === undefined || value === "") throw new UsageError(`-${flag} is required.`);
  return value;
}

function listOf(text = ""): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
