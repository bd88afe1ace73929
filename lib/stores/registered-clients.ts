import type { JsonObject } from "../json.ts";
import type { AuditEvent } from "./audit-log.ts";

/** A client that registered itself (RFC 7591). */
export interface RegisteredClientRecord {
  /** `agent_<uuid>`. */
  readonly clientId: string;
  /** As it was accepted, in the terms of RFC 7591 §2. */
  readonly metadata: JsonObject;
  /** SHA-256 of its secret, base64url; absent: it has none. */
  readonly secretHash?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Clients that registered themselves. A record never changes, so reads may come from a cache, misses may not. */
export interface RegisteredClients {
  create(record: RegisteredClientRecord, event: AuditEvent): Promise<void>;
  get(clientId: string): Promise<RegisteredClientRecord | undefined>;
}
