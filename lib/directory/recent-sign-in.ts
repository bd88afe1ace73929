import type { Dependencies } from "../dependencies.ts";
import { ProblemError } from "../problem.ts";
import { hasWayIn } from "./ways-in.ts";

/** A signed-in person, and when the session of the request began. */
export interface SignedInPerson {
  /** `user_…`. */
  readonly id: string;
  readonly signedInAt: number;
}

/** How long after signing in a person may change how they sign in, in milliseconds. */
export const RECENT_SIGN_IN = 600_000;

/**
 * Whoever borrows a browser must not make that last (D151): how a person signs in is changed by who has just signed in, or
 * has no way to do so, and would be kept out for good.
 * @param ceremony how long what is finished now may have been under way, in milliseconds: it was asked for in time
 * @throws ProblemError `recent_sign_in_required`
 */
export async function requireRecentSignIn(
  dependencies: Dependencies,
  { id, signedInAt }: SignedInPerson,
  ceremony = 0,
): Promise<void> {
  if (dependencies.clock.now() - signedInAt <= RECENT_SIGN_IN + ceremony) return;
  if (!(await hasWayIn(dependencies, id))) return;
  throw new ProblemError(
    "recent_sign_in_required",
    `Sign in again: how you sign in can be changed for ${RECENT_SIGN_IN / 60_000} minutes after that.`,
  );
}
