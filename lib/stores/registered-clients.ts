import type { JsonObject } from "../kernel/json.ts";
import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read } from "./operations.ts";

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
export const REGISTERED_CLIENTS = {
  create: once<(record: RegisteredClientRecord, event: AuditEvent) => void>(),
  get: read<(clientId: string) => RegisteredClientRecord | undefined>(),
};

export type RegisteredClients = Port<typeof REGISTERED_CLIENTS>;
