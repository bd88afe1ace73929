import { ulid } from "../../kernel/ids.ts";
import type { Random } from "../../kernel/random.ts";

/**
 * The shard, 0 to 255, of a request by an API client. Each client has 8 lanes, so a busy client uses 8 shards. Equal values
 * always go to the same lane, so each `jti` is used once (D24).
 *
 * @param value the assertion's `jti`, else its signature segment
 */
export function laneShard(clientId: string, value: string): number {
  return (spread(clientId) + LANE_DISTANCE * (spread(value) % LANES)) % SHARDS;
}

/** All shards that can hold tokens of the client: every tombstone of the client goes to each of them. */
export function laneShards(clientId: string): readonly number[] {
  const first = spread(clientId);
  return Array.from({ length: LANES }, (_, lane) => (first + LANE_DISTANCE * lane) % SHARDS);
}

/**
 * The shard of everything between a person and a client: consent, chains, codes, tokens (D80). One tombstone there ends
 * every chain of the two.
 */
export function grantShard(subject: string, clientId: string): number {
  return spread(`${subject}\0${clientId}`) % SHARDS;
}

/** A new chain's id, which tells its shard. */
export function newChainId(shard: number, now: number, random: Random): string {
  return `chain_${shard.toString(16).padStart(2, "0")}${ulid(now, random)}`;
}

/** The shard of a chain; undefined for texts that are no ids of chains, or of an earlier release. */
export function chainShard(chainId: string): number | undefined {
  const digits = CHAIN_ID.exec(chainId)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

const CHAIN_ID = /^chain_([0-9a-f]{2})[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
export const SHARDS = 256;
const LANES = 8;
const LANE_DISTANCE = 32;

/**
 * FNV-1a over UTF-16 code units with a final mix. It need not be cryptographic: we make the client ids, and a client with
 * crafted `jti`s fills only its own lanes.
 */
function spread(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
