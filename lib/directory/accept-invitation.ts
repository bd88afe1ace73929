import type { Dependencies } from "../dependencies.ts";
import { sha256base64url } from "../encoding.ts";
import { causeOf } from "../logging/cause.ts";
import { ProblemError } from "../problem.ts";
import type { Acceptance } from "../stores/invitations.ts";
import { endBrowserSession, startBrowserSession } from "./browser-sessions.ts";
import { directoryEvent } from "./directory-event.ts";
import { newUserId } from "./first-owner.ts";
import { inTheNameOf } from "./in-the-name-of.ts";
import { findInvitation } from "./invitations.ts";
import { readProfile } from "./profile.ts";
import type { SignedIn } from "./sign-in.ts";
import { attemptOf, recordSignIn, refusedSignInRecorder, type SignInRequest } from "./sign-in-audit.ts";

/** An invitation as whoever holds its link sees it before accepting. Times in milliseconds since the epoch. */
export interface InvitationPreview {
  /** The organization's name. */
  readonly organization: string;
  readonly email: string;
  readonly role: "owner" | "member";
  readonly expiresAt: number;
}

/** Who accepts: a person who is signed in, or somebody new under an id from `newUserId`, made with the invitation's address. */
export interface Accepting {
  readonly userId: string;
  readonly isNew: boolean;
}

/**
 * What an invitation tells whoever holds its link; built once, since it bounds how many refusals are recorded.
 * @throws ProblemError `not_found` when it is gone
 */
export function previewInvitation(
  dependencies: Dependencies,
): (secret: string, request: SignInRequest) => Promise<InvitationPreview> {
  const recordRefusal = refusedSignInRecorder(dependencies);
  return async (secret, request) => {
    const invitation = await findInvitation(dependencies, secret);
    if (invitation === undefined) {
      await recordRefusal(attemptOf("invitation", request));
      throw goneInvitation();
    }
    const { organizationId, email, role, expiresAt } = invitation;
    const organization = await dependencies.stores.directory.getOrganization(organizationId);
    return { organization: organization?.name ?? organizationId, email, role, expiresAt };
  };
}

/**
 * Accepts an invitation as a person who is signed in, or as somebody new, who then is; built once, like `previewInvitation`.
 * @throws ProblemError `not_found` when it is gone, `conflict` for a member and where a person has the address
 */
export function acceptInvitation(
  dependencies: Dependencies,
): (secret: string, userId: string | undefined, request: SignInRequest) => Promise<Partial<SignedIn> & Joined> {
  const recordRefusal = refusedSignInRecorder(dependencies);
  return async (secret, userId, request) => {
    try {
      // A session may outlive its person, who left the last organization a moment ago.
      const person = userId && (await dependencies.stores.directory.getPerson(userId));
      if (userId === undefined || !person) return await joinAsSomebodyNew(dependencies, secret, request);
      refuse(await redeemInvitation(dependencies, secret, { userId, isNew: false }, request.requestId));
      return { profile: await readProfile(dependencies, userId) };
    } catch (error) {
      const isGone = error instanceof ProblemError && error.code === "not_found";
      if (isGone) await recordRefusal(attemptOf("invitation", request));
      throw error;
    }
  };
}

/** Whoever accepted; with the value of the session where the person is new. */
export type Joined = Pick<SignedIn, "profile">;

/** Uses an invitation up: membership, and the person where new, exist from then on. */
export async function redeemInvitation(
  dependencies: Dependencies,
  secret: string,
  { userId, isNew }: Accepting,
  requestId: string,
): Promise<Acceptance> {
  const invitation = await findInvitation(dependencies, secret);
  if (invitation === undefined) return "gone";
  const { organizationId, invitationId, role, email } = invitation;
  const event = directoryEvent(dependencies, { id: userId, organizationId, requestId }, "member.added", {
    user: userId,
    details: { role, invitationId },
  });
  const now = dependencies.clock.now();
  const invited = isNew ? { person: { userId, email, createdAt: now } } : { userId };
  const accept = () => dependencies.stores.invitations.acceptInvitation(sha256base64url(secret), now, invited, event);
  return isNew ? accept() : inTheNameOf(dependencies, userId, accept);
}

/** The session comes first: until its person exists it opens nothing, and nothing that fails later takes it away. */
async function joinAsSomebodyNew(
  dependencies: Dependencies,
  secret: string,
  request: SignInRequest,
): Promise<SignedIn> {
  if ((await findInvitation(dependencies, secret)) === undefined) throw goneInvitation();
  const userId = newUserId(dependencies);
  const { userAgent, requestId } = request;
  const session = await startBrowserSession(dependencies, userId, { method: "invitation", userAgent });
  const acceptance = await redeemInvitation(dependencies, secret, { userId, isNew: true }, requestId);
  if (acceptance !== "accepted") await endBrowserSession(dependencies, session);
  refuse(acceptance);
  await recordSignIn(dependencies, attemptOf("invitation", request), userId).catch((cause: unknown) =>
    dependencies.logger.error("a sign-in could not be recorded", { requestId, cause: causeOf(cause) }),
  );
  return { profile: await readProfile(dependencies, userId), session };
}

/**
 * What an acceptance other than `accepted` is to whoever asked.
 * @throws ProblemError `not_found`, `conflict`
 */
function refuse(acceptance: Acceptance): void {
  switch (acceptance) {
    case "accepted":
      return;
    case "gone":
      throw goneInvitation();
    case "email_taken":
      throw new ProblemError(
        "conflict",
        "A person with this address is known here. Sign in as that person first, then open the link again.",
      );
    case "member_already":
      throw new ProblemError("conflict", "You belong to this organization already.");
  }
}

function goneInvitation(): ProblemError {
  return new ProblemError("not_found", "The invitation is unknown, was used or revoked already, or has expired.");
}
