import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { createVault, type Vault } from "../../../lib/connections/vault.ts";
import { rewrapConnections, type VaultRewrap, vaultKeyUses } from "../../../lib/connections/vault-rotation.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { refuseAbsentStore, STORE_FLAGS, withEmbeddedStore } from "./embedded-store.ts";
import { jsonLine, LISTING_FLAGS, listed, refuseBothForms } from "./listed.ts";

type Action = (args: readonly string[], io: CommandIo) => Promise<string>;

const ACTIONS: Readonly<Record<string, Action>> = { keys, rewrap };

/**
 * `countersign vault keys|rewrap`: how many connections of the embedded store each vault key seals, and wrapping them all with the
 * first.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const [name = "", ...rest] = args;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    throw new UsageError(`countersign vault needs one of ${Object.keys(ACTIONS).join(", ")} first.`);
  }
  io.stdout(await action(rest, io));
  return 0;
}

const COLUMNS = ["keyId", "records", "seals"];

async function keys(args: readonly string[], io: CommandIo): Promise<string> {
  const flags = parseFlags(args, { ...STORE_FLAGS, ...LISTING_FLAGS });
  refuseBothForms(flags);
  const work = (dependencies: Dependencies) => vaultKeyUses(dependencies, vaultOf(dependencies));
  const found = await withEmbeddedStore(flags, io, work, refuseAbsentStore);
  return listed({ keys: found }, found, COLUMNS, flags, io);
}

/** Prints one JSON object. */
async function rewrap(args: readonly string[], io: CommandIo): Promise<string> {
  const flags = parseFlags(args, STORE_FLAGS);
  const work = async (dependencies: Dependencies) => {
    const vault = vaultOf(dependencies);
    return { ...(await rewrapAll(dependencies, vault)), keys: await vaultKeyUses(dependencies, vault) };
  };
  return jsonLine(await withEmbeddedStore(flags, io, work, refuseAbsentStore));
}

async function rewrapAll(dependencies: Dependencies, vault: Vault): Promise<VaultRewrap> {
  let done = { rewrapped: 0, notOpened: 0, changed: 0 };
  let cursor: string | undefined;
  do {
    const page = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const { rewrapped, notOpened, changed, nextCursor } = await rewrapConnections(dependencies, vault, page);
    done = {
      rewrapped: done.rewrapped + rewrapped,
      notOpened: done.notOpened + notOpened,
      changed: done.changed + changed,
    };
    cursor = nextCursor;
  } while (cursor !== undefined);
  return done;
}

const PAGE = 200;

function vaultOf({ configuration, random }: Dependencies): Vault {
  const { vaultKeys, oidcProvider } = configuration().configuration;
  if (vaultKeys.length === 0) throw new UsageError("The configuration has no vault.keys.");
  return createVault(vaultKeys, oidcProvider?.region ?? "", random);
}
