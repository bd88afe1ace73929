import { sha256 } from "../../lib/encoding.ts";

/** The token shard, 0 to 255, where all callers of a value meet: one that is used once, or names something. */
export function valueShard(kind: string, value: string): number {
  const digest = sha256(`${kind}\0${value}`);
  return digest[0] ?? 0;
}
