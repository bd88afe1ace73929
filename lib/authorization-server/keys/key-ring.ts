import type { Component } from "../../health/component.ts";
import type { JsonObject } from "../../kernel/json.ts";

/** The keys with which the service signs JWTs and verifies its own JWTs. */
export interface KeyRing {
  /**
   * A JWS in compact serialization over the claims, by the key that signs now. Makes the first key where there is none yet.
   *
   * @param typ the header parameter of that name: `at+jwt` (RFC 9068 §2.1) or `JWT`
   */
  sign(claims: JsonObject, typ: SignedType): Promise<string>;
  /** The claims of a JWS that one of the keys signed, whatever they say; undefined for everything else. */
  verify(jws: string, typ: SignedType): Promise<JsonObject | undefined>;
  /** The content of `jwks_uri` (RFC 7517). It includes keys that sign later and keys that signed recently. */
  publicKeys(): Promise<readonly JsonObject[]>;
  /** Algorithms of the keys that sign, for metadata. */
  algorithms(): readonly string[];
  /** Rotates the keys when a step is due; for health and maintenance. */
  readonly component: Component;
}

export type SignedType = "at+jwt" | "JWT" | "countersign-assertion+jwt";
