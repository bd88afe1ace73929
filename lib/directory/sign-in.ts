import type { Dependencies, RequestContext } from "../dependencies.ts";
import { causeOf } from "../logging/cause.ts";
import { ProblemError } from "../problem.ts";
import { endBrowserSession, startBrowserSession } from "./browser-sessions.ts";
import { type Profile, readProfile } from "./profile.ts";
import { recoverOwner } from "./recovery.ts";
import { setUp } from "./setup.ts";
import { recordSignIn, refusedSignInRecorder, type SignInAttempt } from "./sign-in-audit.ts";
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

/** The request that asks to sign somebody in. */
export type SignInRequest = Pick<RequestContext, "requestId" | "remoteAddress">;

export interface LinkSignIn {
  /** The link's secret. */
  readonly token: string;
  /** The value of the session cookie that the browser came with; that session ends. */
  readonly formerSession: string | undefined;
}

/**
 * Signs in whoever holds a one-time link; built once, since it bounds how many refusals are recorded. When something
 * fails on the way the link is as good as before.
 * @throws ProblemError `forbidden`
 */
export function signInByLink(
  dependencies: Dependencies,
): (input: LinkSignIn, request: SignInRequest) => Promise<SignedIn> {
  const recordRefusal = refusedSignInRecorder(dependencies);
  return async ({ token, formerSession }, request) => {
    const attempt = attemptOf("link", request);
    const signedIn = await useSignInLink(dependencies, token, async (userId) => {
      await recordSignIn(dependencies, attempt, userId);
      const profile = await readProfile(dependencies, userId);
      if (formerSession !== undefined) await endBrowserSession(dependencies, formerSession);
      return { profile, session: await startBrowserSession(dependencies, userId) };
    });
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
    const attempt = attemptOf("setup", request);
    try {
      const recovered = await recoverOwner(dependencies, input, attempt);
      if (recovered !== undefined) return { ...recovered, recovered: true };
      return { ...(await firstSignIn(dependencies, input, attempt)), recovered: false };
    } catch (error) {
      if (error instanceof ProblemError && error.code === "forbidden") await recordRefusal(attempt);
      throw error;
    }
  };
}

async function firstSignIn(
  dependencies: Dependencies,
  input: Readonly<Record<string, unknown>>,
  attempt: SignInAttempt,
): Promise<SignedIn> {
  const { person, organization, session } = await setUp(dependencies, input, attempt.requestId);
  const { userId, email } = person;
  const { organizationId, name } = organization;
  // The owner exists and `member.added` says so: what fails from here on must not take the session away.
  await recordSignIn(dependencies, attempt, userId).catch((cause: unknown) =>
    dependencies.logger.error("a sign-in could not be recorded", {
      requestId: attempt.requestId,
      cause: causeOf(cause),
    }),
  );
  return { profile: { userId, email, organizations: [{ organizationId, name, role: "owner" }] }, session };
}

function attemptOf(method: SignInAttempt["method"], { requestId, remoteAddress }: SignInRequest): SignInAttempt {
  return { method, requestId, source: remoteAddress };
}
