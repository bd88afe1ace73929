import { sha256 } from "../../lib/encoding.ts";

/** The token shard, 0 to 255, where all callers of a single-use value meet. */
export function singleUseShard(namespace: string, key: string): number {
  const digest = sha256(`${namespace}\0${key}`);
  return digest[0] ?? 0;
}
