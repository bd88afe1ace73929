import type { KeyPair } from "../../../lib/management/schemas/key-pairs.ts";

/** Those that bring tokens, the newest first. */
export function activeOf(keyPairs: readonly KeyPair[]): readonly KeyPair[] {
  return byAge(keyPairs.filter(({ status }) => status === "active"));
}

/** Those that bring none any more, the newest first. */
export function revokedOf(keyPairs: readonly KeyPair[]): readonly KeyPair[] {
  return byAge(keyPairs.filter(({ status }) => status === "revoked"));
}

/** The hour in which any of some key pairs last brought a token. */
export function lastUseOf(keyPairs: readonly KeyPair[]): string | undefined {
  return keyPairs
    .map(({ lastUsedAt }) => lastUsedAt)
    .filter((hour) => hour !== undefined)
    .toSorted()
    .at(-1);
}

function byAge(keyPairs: readonly KeyPair[]): readonly KeyPair[] {
  return keyPairs.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
}
