import type { Connections } from "../stores/connections.ts";
import type { PageRequest } from "../stores/paging.ts";
import { keyOf } from "./refresh.ts";
import type { Vault } from "./vault.ts";

export interface VaultRotationPorts {
  readonly stores: { readonly connections: Pick<Connections, "sealedOtherwise" | "rewrap" | "countByKey"> };
}

/** How many records a vault key seals, deleted ones whose provider is not told yet included. */
export interface VaultKeyUse {
  readonly keyId: string;
  readonly records: number;
  /** It seals what is new. Every other key may go once it has no records. */
  readonly seals: boolean;
}

/** What became of a page of the records that another key than the first one sealed. */
export interface VaultRewrap {
  readonly rewrapped: number;
  /** No key of the configuration opens them: these people connect again. */
  readonly notOpened: number;
  /** Somebody wrote them meanwhile, with whatever key: the next run looks at them again. */
  readonly changed: number;
  /** Absent: this was the last page. */
  readonly nextCursor?: string;
}

/** The sealing key first, and there also when it has none. */
export async function vaultKeyUses(
  { stores }: VaultRotationPorts,
  { keyId: sealing }: Pick<Vault, "keyId">,
): Promise<readonly VaultKeyUse[]> {
  const { [sealing]: own = 0, ...others } = await stores.connections.countByKey();
  return [
    { keyId: sealing, records: own, seals: true },
    ...Object.entries(others).map(([keyId, records]) => ({ keyId, records, seals: false })),
  ];
}

/**
 * Wraps the data keys of a page of records with the first key; the tokens stay sealed meanwhile. Whoever breaks off may begin anew:
 * what is done is found no more.
 */
export async function rewrapConnections(
  { stores }: VaultRotationPorts,
  vault: Pick<Vault, "keyId" | "rewrap">,
  page: PageRequest,
): Promise<VaultRewrap> {
  const found = { rewrapped: 0, notOpened: 0, changed: 0 };
  const { items, nextCursor } = await stores.connections.sealedOtherwise(vault.keyId, page);
  for (const record of items) {
    const next = await vault.rewrap(record.sealed, record);
    if (next === undefined) found.notOpened += 1;
    else if (await stores.connections.rewrap(keyOf(record), record.sealed, next)) found.rewrapped += 1;
    else found.changed += 1;
  }
  return { ...found, ...(nextCursor !== undefined && { nextCursor }) };
}
