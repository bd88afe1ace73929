import type { Dependencies } from "../dependencies.ts";
import { sha256base64url } from "../encoding.ts";
import { ProblemError } from "../problem.ts";
import { equalSecrets } from "../secrets/equal-secrets.ts";

/**
 * The setup token that the input carries, which is the configured one.
 * @throws ProblemError `not_found` when none is configured, `forbidden` for any other
 */
export async function requireSetupToken(
  dependencies: Pick<Dependencies, "configuration">,
  { token }: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { setupToken } = dependencies.configuration().configuration.console;
  if (setupToken === undefined) throw new ProblemError("not_found", "This instance has no setup token.");
  if (typeof token === "string" && equalSecrets(token, setupToken)) return token;
  throw new ProblemError("forbidden", "The setup token is wrong.");
}

/** Uses a token's value up: true once. */
export async function takeSetupToken({ stores, clock }: Dependencies, token: string): Promise<boolean> {
  return stores.singleUse.consume("setup-token", sha256base64url(token), clock.now() + CENTURY);
}

/** For good, as far as stores can say that; in milliseconds. */
const CENTURY = 100 * 365 * 86_400_000;
