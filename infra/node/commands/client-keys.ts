import { addKeyPair, revokeKeyPair } from "../../../lib/api-clients/key-pair-administration.ts";
import { representKeyPair } from "../../../lib/api-clients/representation.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { administerExisting, required } from "./administer.ts";
import { STORE_FLAGS } from "./embedded-store.ts";
import { addGeneratedKey } from "./generated-key.ts";
import { withKeyFile } from "./key-file.ts";
import { readKey } from "./read-key.ts";

/** `-client ID` with `-keyOut FILE` for a generated pair, or with `-publicKey FILE` for the registration of one. */
export async function addKey(args: readonly string[], io: CommandIo): Promise<object> {
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
export async function revokeKey(args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, client: "string", keyPair: "string" });
  const clientId = required(flags.client, "client ID");
  const keyPairId = required(flags.keyPair, "keyPair ID");
  return administerExisting(flags, io, async (dependencies, actor) => ({
    clientId,
    ...representKeyPair(await revokeKeyPair(dependencies, actor, { clientId }, keyPairId)),
  }));
}
