import type { BrowserSession } from "../management/schemas/browser-sessions.ts";
import type { CreatedInvitation, Invitation, InvitationPreview } from "../management/schemas/invitations.ts";
import type { Member } from "../management/schemas/members.ts";
import type { Organization } from "../management/schemas/organizations.ts";
import type { OrganizationRecord, Role } from "../stores/directory.ts";
import type { InvitationRecord } from "../stores/invitations.ts";
import type { MemberRecord } from "../stores/members.ts";
import type { InvitationPreview as Preview } from "./accept-invitation.ts";
import type { ConsoleSession } from "./browser-sessions.ts";
import type { CreatedInvitation as Created } from "./invitations.ts";

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

export function representCreatedInvitation({ invitation, link }: Created): CreatedInvitation {
  return { ...representInvitation(invitation), link };
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
