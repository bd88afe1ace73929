import type { Dependencies } from "../dependencies.ts";
import { readFields } from "../fields.ts";
import { ProblemError } from "../problem.ts";
import { endBrowserSession, startBrowserSession } from "./browser-sessions.ts";
import { parseEmail, SETUP_FIELDS } from "./fields.ts";
import { type Profile, readProfile } from "./profile.ts";
import { requireSetupToken, takeSetupToken } from "./setup-token.ts";
import { attemptOf, recordSignIn, type SignInRequest } from "./sign-in-audit.ts";

/** An owner who came back, and the value of the session that signs the owner in. */
export interface Recovered {
  readonly profile: Profile;
  readonly session: string;
}

/**
 * Signs the owner whom the configuration names as `console.recoverOwner` in again: for whoever holds a setup token that
 * was never used. Undefined, and nothing is used up, when the request is about nobody to recover.
 * @throws ProblemError `forbidden` for a wrong or used token, `invalid_field`
 */
export async function recoverOwner(
  dependencies: Dependencies,
  input: Readonly<Record<string, unknown>>,
  request: SignInRequest,
): Promise<Recovered | undefined> {
  const wanted = dependencies.configuration().configuration.console.recoverOwner;
  const email = typeof input.email === "string" ? parseEmail(input.email) : undefined;
  if (wanted === undefined || email !== wanted) return undefined;
  const token = await requireSetupToken(dependencies, input);
  readFields(input, SETUP_FIELDS).finish();
  const userId = (await dependencies.stores.directory.findPersonByEmail(email))?.userId;
  if (userId === undefined) return undefined;
  const profile = await readProfile(dependencies, userId);
  if (!profile.organizations.some(({ role }) => role === "owner")) return undefined;
  // What can fail comes before the token is used up; only the record has to come after.
  const session = await startBrowserSession(dependencies, userId, { method: "setup", userAgent: request.userAgent });
  try {
    if (!(await takeSetupToken(dependencies, token))) {
      throw new ProblemError("forbidden", "The setup token was used already: configure a new one.");
    }
    await recordSignIn(dependencies, attemptOf("setup", request), userId, "recovered");
  } catch (error) {
    await endBrowserSession(dependencies, session);
    throw error;
  }
  return { profile, session };
}
