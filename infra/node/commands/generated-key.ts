import { createApiClient, deleteApiClient } from "../../../lib/api-clients/administration.ts";
import type { Administrator } from "../../../lib/api-clients/client-event.ts";
import { addKeyPair, revokeKeyPair } from "../../../lib/api-clients/key-pairs.ts";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { ApiClientRecord, KeyPairRecord } from "../../../lib/stores/api-clients.ts";
import { UsageError } from "../usage-error.ts";
import type { KeyFile } from "./key-file.ts";

/**
 * Creates an API client with one generated key pair, whose private key goes into the file. When anything fails, the
 * client is deleted again: nothing stays whose key nobody has.
 */
export async function createClientWithKey(
  dependencies: Dependencies,
  actor: Administrator,
  input: unknown,
  file: Pick<KeyFile, "write">,
): Promise<{ readonly client: ApiClientRecord; readonly keyPair: KeyPairRecord }> {
  const client = await createApiClient(dependencies, actor, input);
  const { clientId } = client;
  try {
    return { client, keyPair: await addGeneratedKey(dependencies, actor, clientId, file) };
  } catch (error) {
    await deleteApiClient(dependencies, actor, { clientId }, { revokeTokens: true }).catch(leftBehind(clientId, error));
    throw error;
  }
}

/** Adds a generated key pair to an API client; when its private key cannot be written, the pair is revoked again. */
export async function addGeneratedKey(
  dependencies: Dependencies,
  actor: Administrator,
  clientId: string,
  file: Pick<KeyFile, "write">,
): Promise<KeyPairRecord> {
  const { keyPair, privateKeyPem } = await addKeyPair(dependencies, actor, { clientId });
  if (privateKeyPem === undefined) throw new Error("A generated key pair came without its private key.");
  const { keyPairId } = keyPair;
  try {
    file.write(privateKeyPem);
  } catch (error) {
    await revokeKeyPair(dependencies, actor, { clientId }, keyPairId).catch(leftBehind(keyPairId, error));
    throw error;
  }
  return keyPair;
}

function leftBehind(id: string, error: unknown): () => never {
  const reason = error instanceof Error ? error.message : String(error);
  return () => {
    throw new UsageError(`${reason} Besides, ${id} was left behind and could not be removed: remove it.`);
  };
}
