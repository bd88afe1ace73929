import type { Signer } from "../../behaviour/fixture.ts";
import type { SecurityContext } from "../context.ts";

/** One row of D7 about assertions: what is answered, and every way to get that answer. */
export interface AssertionRow {
  /** The `error_description` of `invalid_client`. */
  readonly description: string;
  readonly cases: readonly AssertionCase[];
}

/** A condition and an assertion that fulfils it; what it says beside that is right. */
export type AssertionCase = readonly [
  condition: string,
  assertion: (context: RefusalContext) => string | Promise<string>,
];

/** Who takes part besides the context's own client. */
export interface RefusalContext extends SecurityContext {
  /** Has been deleted. */
  readonly deleted: Signer;
  /** Its key has been revoked; it has `kept`, too. */
  readonly revoked: Signer;
  readonly kept: Signer;
  /** Has no key; the key is another client's. */
  readonly keyless: Signer;
  /** A client of the other region. */
  readonly foreign: Signer;
  /** Another client of this region. */
  readonly other: Signer;
}
