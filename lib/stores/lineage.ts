import type { StoppableRecord } from "./stop-subjects.ts";

/** What a token descends from (D24) and whose it is (D171): it ends when any of this is ended or stopped. */
export interface Lineage extends StoppableRecord {
  /** `chain_<shard, 2 hex><ULID>`; chains of earlier releases lack the shard. */
  readonly chainId: string;
  /** Absent on what is no token itself, as a chain with its code. */
  readonly tokenId?: string;
  /** The consent that the chain rests on, `consent_<ULID>`; absent where an API client acts for itself. */
  readonly consentId?: string;
  /** The API client that began the chain; absent where a person did. */
  readonly apiClientId?: string;
  /** The key pair whose assertion began the chain; absent on chains of people, and on the client's own tokens. */
  readonly apiClientKeyPairId?: string;
  /** The client with which a person began the chain; absent on that client's own tokens. */
  readonly agentId?: string;
  /** `user_…`: the person in the directory, where the account that they began the chain with was linked. */
  readonly memberId?: string;
  /** The tokens it was exchanged for, oldest first. */
  readonly ancestors?: readonly string[];
}
