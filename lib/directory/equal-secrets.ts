import { sha256 } from "../encoding.ts";

/** Compares two secrets without telling by time where, or in which length, they differ. */
export async function equalSecrets(one: string, other: string): Promise<boolean> {
  const [left, right] = await Promise.all([sha256(one), sha256(other)]);
  let difference = 0;
  for (let i = 0; i < left.length; i++) difference |= (left[i] as number) ^ (right[i] as number);
  return difference === 0;
}
