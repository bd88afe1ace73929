import type { KeyPairUse, VerificationRecord } from "../stores/api-clients.ts";

const HOUR = 60 * 60_000;

/**
 * The use to record after an assertion of the key pair brought a token at a time in milliseconds; undefined when the
 * record shows one of this hour already, as it does for all but the first tokens of an hour.
 */
export function useToRecord(
  { clientId, keyPairs }: Pick<VerificationRecord, "clientId" | "keyPairs">,
  keyPairId: string,
  at: number,
): KeyPairUse | undefined {
  const hour = at - (at % HOUR);
  const lastUsedAt = keyPairs.find((keyPair) => keyPair.keyPairId === keyPairId)?.lastUsedAt;
  return lastUsedAt !== undefined && lastUsedAt >= hour ? undefined : { clientId, keyPairId, hour };
}
