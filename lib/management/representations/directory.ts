import type { InvitationPreview as Preview } from "../../directory/accept-invitation.ts";
import type { ConsoleSession } from "../../directory/browser-sessions.ts";
import type { CreatedInvitation as Created } from "../../directory/invitations.ts";
import type { OrganizationRecord, Role } from "../../stores/directory.ts";
import type { IdentityRecord } from "../../stores/identities.ts";
import type { InvitationRecord } from "../../stores/invitations.ts";
import type { MemberRecord } from "../../stores/members.ts";
import type { PasskeyRecord } from "../../stores/passkeys.ts";
import type { BrowserSession } from "../schemas/browser-sessions.ts";
import type { Identity } from "../schemas/identities.ts";
import type { CreatedInvitation, Invitation, InvitationPreview } from "../schemas/invitations.ts";
import type { Member } from "../schemas/members.ts";
import type { Organization } from "../schemas/organizations.ts";
import type { Passkey } from "../schemas/passkeys.ts";

/** An organization as the management API shows it to somebody who has this role there. */
export function representOrganization(record: OrganizationRecord, role: Role): Organization {
  const { organizationId, name, createdAt } = record;
  return { organizationId, name, role, createdAt: iso(createdAt) };
}

/** @param viewer id of the person who asks */
export function representMember({ userId, email, role, createdAt }: MemberRecord, viewer: string): Member {
  return { userId, email, role, joinedAt: iso(createdAt), isYou: userId === viewer };
}

/** Without the secret's hash. */
export function representInvitation(record: InvitationRecord): Invitation {
  const { invitationId, email, role, invitedBy, createdAt, expiresAt } = record;
  return { invitationId, email, role, invitedBy, createdAt: iso(createdAt), expiresAt: iso(expiresAt) };
}

/** @param sent whether a mail has the link; undefined: this instance sends none */
export function representCreatedInvitation({ invitation, link }: Created, sent?: boolean): CreatedInvitation {
  return { ...representInvitation(invitation), link, ...(sent !== undefined && { sent }) };
}

export function representPreview({ expiresAt, ...preview }: Preview): InvitationPreview {
  return { ...preview, expiresAt: iso(expiresAt) };
}

/** @param current id of the session that the request belongs to */
export function representBrowserSession(session: ConsoleSession, current: string): BrowserSession {
  const { sessionHash, createdAt, lastSeenAt, expiresAt, method, userAgent } = session;
  return {
    sessionId: sessionHash,
    createdAt: iso(createdAt),
    lastSeenAt: iso(lastSeenAt),
    expiresAt: iso(expiresAt),
    method,
    ...(userAgent !== undefined && { userAgent }),
    isCurrent: sessionHash === current,
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

/** An account as the management API shows it to the person that it is linked with. */
export function representIdentity({ connector, label, subject, createdAt }: IdentityRecord): Identity {
  return {
    connector,
    ...(label !== undefined && { label }),
    ...{ subject, createdAt: new Date(createdAt).toISOString() },
  };
}

/** A passkey as the management API shows it to its person. */
export function representPasskey({ credentialId, name, createdAt, lastUsedAt, backedUp }: PasskeyRecord): Passkey {
  return {
    ...{ passkeyId: credentialId, name, createdAt: new Date(createdAt).toISOString() },
    ...(lastUsedAt !== undefined && { lastUsedAt: new Date(lastUsedAt).toISOString() }),
    isBackedUp: backedUp,
  };
}
