import { sha256base64url } from "#sha256";
import { ProblemError } from "../kernel/problem.ts";
import { causeOf } from "../logging/cause.ts";
import type { Acceptance } from "../stores/invitations.ts";
import { StoreUnavailableError } from "../stores/unavailable.ts";
import { directoryEvent } from "./audit-events.ts";
import { endBrowserSession, startBrowserSession } from "./browser-sessions.ts";
import { findInvitation } from "./invitations.ts";
import { inTheNameOf, newUserId, readProfile } from "./person.ts";
import type { DirectoryPorts } from "./ports.ts";
import type { SignedIn } from "./sign-in.ts";
import { attemptOf, recordRefusedSignIn, recordSignIn, type SignInRequest } from "./sign-in-audit.ts";

/** An invitation as the holder of its link sees it before accepting. Times in milliseconds since the epoch. */
export interface InvitationPreview {
  /** The organization's name. */
  readonly organization: string;
  readonly email: string;
  readonly role: "owner" | "member";
  readonly expiresAt: number;
}

/** The person who accepts: somebody who is signed in, or a new person with an id from `newUserId` and the invitation's address. */
export interface Accepting {
  readonly userId: string;
  readonly isNew: boolean;
}

/**
 * The preview of an invitation for the holder of its link.
 * @throws ProblemError `not_found` when it is gone
 */
export function previewInvitation(
  dependencies: DirectoryPorts,
): (secret: string, request: SignInRequest) => Promise<InvitationPreview> {
  return async (secret, request) => {
    const invitation = await findInvitation(dependencies, secret);
    if (invitation === undefined) {
      await recordRefusedSignIn(dependencies, attemptOf("invitation", request));
      throw goneInvitation();
    }
    const { organizationId, email, role, expiresAt } = invitation;
    const organization = await dependencies.stores.directory.getOrganization(organizationId);
    return { organization: organization?.name ?? organizationId, email, role, expiresAt };
  };
}

/**
 * Accepts an invitation as a signed-in person, or as a new person, who is signed in then.
 * @throws ProblemError `not_found` when it is gone, `conflict` for a member
 */
export function acceptInvitation(
  dependencies: DirectoryPorts,
): (secret: string, userId: string | undefined, request: SignInRequest) => Promise<Partial<SignedIn> & Joined> {
  return async (secret, userId, request) => {
    try {
      // A session may outlive its person, who left the last organization a moment ago.
      const person = userId && (await dependencies.stores.directory.getPerson(userId));
      if (userId === undefined || !person) return await joinAsSomebodyNew(dependencies, secret, request);
      refuse(await redeemInvitation(dependencies, secret, { userId, isNew: false }, request.requestId));
      return { profile: await readProfile(dependencies, userId) };
    } catch (error) {
      const isGone = error instanceof ProblemError && error.code === "not_found";
      if (isGone) await recordRefusedSignIn(dependencies, attemptOf("invitation", request));
      throw error;
    }
  };
}

/** The person who accepted. */
export type Joined = Pick<SignedIn, "profile">;

/** Uses up an invitation. From then on the membership exists, and the person if it was a new one. */
export async function redeemInvitation(
  dependencies: DirectoryPorts,
  secret: string,
  { userId, isNew }: Accepting,
  requestId: string,
): Promise<Acceptance> {
  const invitation = await findInvitation(dependencies, secret);
  if (invitation === undefined) return "gone";
  const { organizationId, invitationId, role, email } = invitation;
  const event = directoryEvent(dependencies, { id: userId, name: email, organizationId, requestId }, "member.added", {
    user: userId,
    details: { role, invitationId },
  });
  const now = dependencies.clock.now();
  const invited = isNew ? { person: { userId, email, createdAt: now } } : { userId };
  const accept = () => dependencies.stores.invitations.acceptInvitation(sha256base64url(secret), now, invited, event);
  return knownAcceptance(await (isNew ? accept() : inTheNameOf(dependencies, userId, accept)));
}

/**
 * A registry that still runs another release can answer what this one does not know. It has accepted nothing then, and soon runs
 * this one.
 */
function knownAcceptance(acceptance: Acceptance): Acceptance {
  if (Object.hasOwn(ACCEPTANCES, acceptance)) return acceptance;
  throw new StoreUnavailableError(new Error(`an invitation was answered with ${JSON.stringify(acceptance)}`));
}

const ACCEPTANCES: Readonly<Record<Acceptance, true>> = { accepted: true, gone: true, member_already: true };

/** The session is created first. It opens nothing until its person exists, and no later failure ends it. */
async function joinAsSomebodyNew(
  dependencies: DirectoryPorts,
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
 * Throws the refusal for every result except `accepted`.
 * @throws ProblemError `not_found`, `conflict`
 */
function refuse(acceptance: Acceptance): void {
  switch (acceptance) {
    case "accepted":
      return;
    case "gone":
      throw goneInvitation();
    case "member_already":
      throw new ProblemError("conflict", "You belong to this organization already.");
  }
}

function goneInvitation(): ProblemError {
  return new ProblemError("not_found", "The invitation is unknown, was used or revoked already, or has expired.");
}
