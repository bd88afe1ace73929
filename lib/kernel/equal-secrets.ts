import { sha256 } from "#sha256";
import { equalBytes } from "./encoding.ts";

/** Compares two secrets without telling by time where, or in which length, they differ. */
export function equalSecrets(one: string, other: string): boolean {
  return equalBytes(sha256(one), sha256(other));
}
