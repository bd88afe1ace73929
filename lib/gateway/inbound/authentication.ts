import type { Identity } from "../identity.ts";

/** What became of a token. `reason` is for the log: a short code, never a part of the token. */
export type Authentication =
  | { readonly outcome: "accepted"; readonly identity: Identity }
  | { readonly outcome: "refused"; readonly reason: string }
  /** The server that knows could not be asked; the token may be good. */
  | { readonly outcome: "unavailable"; readonly reason: string };

/** As above, and `inconclusive` when this method cannot tell and another may. */
export type Attempt = Authentication | { readonly outcome: "inconclusive"; readonly reason: string };

export function refused(reason: string): Authentication {
  return { outcome: "refused", reason };
}

export function unavailable(reason: string): Authentication {
  return { outcome: "unavailable", reason };
}
