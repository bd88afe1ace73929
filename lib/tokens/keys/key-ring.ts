import type { Component } from "../../health/component.ts";
import type { JsonObject } from "../../json.ts";

/** The keys that the service signs with, and verifies its own JWTs by. */
export interface KeyRing {
  /**
   * A JWS in compact serialization over the claims, by the key that signs now. Makes the first key where there is none yet.
   *
   * @param typ the header parameter of that name: `at+jwt` (RFC 9068 §2.1) or `JWT`
   */
  sign(claims: JsonObject, typ: SignedType): Promise<string>;
  /** The claims of a JWS that one of the keys signed, whatever they say; undefined for everything else. */
  verify(jws: string, typ: SignedType): Promise<JsonObject | undefined>;
  /** What `jwks_uri` answers with (RFC 7517): also keys that sign later or signed until lately. */
  publicKeys(): Promise<readonly JsonObject[]>;
  /** Algorithms of the keys that sign, for metadata. */
  algorithms(): readonly string[];
  /** Rotates in its own time; for health and upkeep. */
  readonly component: Component;
}

export type SignedType = "at+jwt" | "JWT";
