import type { SignInContext } from "./context.ts";
import {
  advanceInteraction,
  type BegunInteraction,
  beginInteraction,
  type FoundInteraction,
  type Interaction,
} from "./interaction.ts";

/** Keeps the next step of a sign-in: in place of the one before, or as its first. */
export async function keepInteraction(
  next: Interaction,
  found: FoundInteraction | undefined,
  { browser, dependencies }: SignInContext,
): Promise<BegunInteraction> {
  if (found === undefined || browser.binding === undefined) return beginInteraction(next, browser, dependencies);
  await advanceInteraction(found, next, browser, dependencies);
  return { secret: found.secret, binding: browser.binding };
}
