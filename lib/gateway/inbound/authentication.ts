import type { Identity } from "../identity.ts";

/** What became of a token. `reason` is for the log: a short code, never a part of the token. */
export type Authentication =
  | { readonly outcome: "accepted"; readonly identity: Identity }
  | { readonly outcome: "refused"; readonly reason: string }
  /** The server that knows could not be asked; the token may be good. */
  | { readonly outcome: "unavailable"; readonly reason: string };

/** As above, and `inconclusive` when this method cannot tell and another may: `otherwise` is what is true without one. */
export type Attempt =
  | Authentication
  | { readonly outcome: "inconclusive"; readonly reason: string; readonly otherwise: Authentication };

export function accepted(identity: Identity): Authentication {
  return { outcome: "accepted", identity };
}

export function refused(reason: string): Authentication {
  return { outcome: "refused", reason };
}

export function unavailable(reason: string): Authentication {
  return { outcome: "unavailable", reason };
}

export function inconclusive(reason: string, otherwise: (reason: string) => Authentication): Attempt {
  return { outcome: "inconclusive", reason, otherwise: otherwise(reason) };
}
