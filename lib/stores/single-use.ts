import { once, type Port, read } from "./operations.ts";

/**
 * Values that count once and carry nothing, for steps of their own; authorization codes are to use it. Two kinds are
 * consumed elsewhere, in one step with what they are for: a `jti` with its token, a sign-in link with its record.
 */
export const SINGLE_USE = {
  /** True for exactly one caller per namespace and key, until `expiresAt` (milliseconds). Linearizable. */
  consume: once<(namespace: string, key: string, expiresAt: number) => boolean>(),
  /** Whether somebody consumed it: for work that is done before the value counts as used, and must not be done again after. Linearizable. */
  isUsed: read<(namespace: string, key: string) => boolean>(),
};

export type SingleUse = Port<typeof SINGLE_USE>;
