import type { Dependencies } from "../dependencies.ts";
import { causeOf } from "../logging/cause.ts";
import { ProblemError } from "../problem.ts";
import { endBrowserSession, startBrowserSession } from "./browser-sessions.ts";
import { noOrganization } from "./in-the-name-of.ts";
import { type Profile, readProfile } from "./profile.ts";
import { recoverOwner } from "./recovery.ts";
import { setUp } from "./setup.ts";
import {
  attemptOf,
  recordSignIn,
  refusedSignInRecorder,
  type SignInAttempt,
  type SignInRequest,
} from "./sign-in-audit.ts";
import { useSignInLink } from "./sign-in-links.ts";

/** A person who has just signed in, and the value of the new session's cookie. */
export interface SignedIn {
  readonly profile: Profile;
  readonly session: string;
}

export interface SignedInBySetup extends SignedIn {
  /** The owner existed and was signed in again (`console.recoverOwner`). */
  readonly recovered: boolean;
}

/**
 * Signs a person in who has just proved to be one: recorded first, so that no session goes without a record.
 * @throws ProblemError `forbidden` for somebody who left the last organization meanwhile
 */
export async function signInPerson(
  dependencies: Dependencies,
  userId: string,
  attempt: SignInAttempt,
  { formerSession, userAgent }: SignInRequest,
): Promise<SignedIn> {
  const profile = await readProfile(dependencies, userId);
  if (profile.organizations.length === 0) throw noOrganization();
  await recordSignIn(dependencies, attempt, userId);
  if (formerSession !== undefined) await endBrowserSession(dependencies, formerSession);
  return { profile, session: await startBrowserSession(dependencies, userId, { method: attempt.method, userAgent }) };
}

/**
 * Signs in whoever holds a one-time link; built once, since it bounds how many refusals are recorded. When something
 * fails on the way the link is as good as before.
 * @throws ProblemError `forbidden`
 */
export function signInByLink(
  dependencies: Dependencies,
): (secret: string, request: SignInRequest) => Promise<SignedIn> {
  const recordRefusal = refusedSignInRecorder(dependencies);
  return async (secret, request) => {
    const attempt = attemptOf("link", request);
    const signedIn = await useSignInLink(dependencies, secret, (userId) =>
      signInPerson(dependencies, userId, attempt, request),
    );
    if (signedIn !== undefined) return signedIn;
    await recordRefusal(attempt);
    throw new ProblemError("forbidden", "The sign-in link is unknown, was used already, or has expired.");
  };
}

/**
 * Makes the first organization and its owner from `{token, organization, email}` and signs the owner in; or signs an
 * owner in again whom the configuration wants recovered. Built once, like `signInByLink`.
 * @throws ProblemError as `setUp` and `recoverOwner`
 */
export function signInBySetup(
  dependencies: Dependencies,
): (input: Readonly<Record<string, unknown>>, request: SignInRequest) => Promise<SignedInBySetup> {
  const recordRefusal = refusedSignInRecorder(dependencies);
  return async (input, request) => {
    try {
      const recovered = await recoverOwner(dependencies, input, request);
      const signedIn = recovered ?? (await firstSignIn(dependencies, input, request));
      await endFormer(dependencies, request);
      return { ...signedIn, recovered: recovered !== undefined };
    } catch (error) {
      if (error instanceof ProblemError && error.code === "forbidden") await recordRefusal(attemptOf("setup", request));
      throw error;
    }
  };
}

async function firstSignIn(
  dependencies: Dependencies,
  input: Readonly<Record<string, unknown>>,
  request: SignInRequest,
): Promise<SignedIn> {
  const { person, organization, session } = await setUp(dependencies, input, request);
  const { userId, email } = person;
  const { organizationId, name } = organization;
  // The owner exists and `member.added` says so: what fails from here on must not take the session away.
  await recordSignIn(dependencies, attemptOf("setup", request), userId).catch((cause: unknown) =>
    dependencies.logger.error("a sign-in could not be recorded", {
      requestId: request.requestId,
      cause: causeOf(cause),
    }),
  );
  return { profile: { userId, email, organizations: [{ organizationId, name, role: "owner" }] }, session };
}

/** The token is used up by now: what fails here must not take the new session away. */
async function endFormer(dependencies: Dependencies, { formerSession, requestId }: SignInRequest): Promise<void> {
  if (formerSession === undefined) return;
  await endBrowserSession(dependencies, formerSession).catch((cause: unknown) =>
    dependencies.logger.error("the browser's former session could not be ended", {
      requestId,
      cause: causeOf(cause),
    }),
  );
}
