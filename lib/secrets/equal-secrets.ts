import { equalBytes, sha256 } from "../encoding.ts";

/** Compares two secrets without telling by time where, or in which length, they differ. */
export async function equalSecrets(one: string, other: string): Promise<boolean> {
  const [left, right] = await Promise.all([sha256(one), sha256(other)]);
  return equalBytes(left, right);
}
