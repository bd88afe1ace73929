import { sha256base64url } from "#sha256";
import type { Administrator } from "../api-clients/client-event.ts";
import { readFields } from "../kernel/fields.ts";
import { uuid } from "../kernel/ids.ts";
import { ProblemError } from "../kernel/problem.ts";
import { isSecretText, newSecretText } from "../kernel/secret-text.ts";
import type { InvitationRecord } from "../stores/invitations.ts";
import { directoryEvent } from "./audit-events.ts";
import { emailField, roleField } from "./fields.ts";
import { unknownOrganization } from "./organizations.ts";
import { membersWithAddress } from "./person.ts";
import type { DirectoryPorts } from "./ports.ts";

/** How long an invitation stays open, in milliseconds. */
export const INVITATION_LIFETIME = 7 * 86_400_000;

/** The length of a list: an invitation that no list shows could not be revoked. */
const MAX_OPEN = 200;

export interface CreatedInvitation {
  readonly invitation: InvitationRecord;
  /** Opens the page that posts the secret. It stands in the fragment, which browsers send to no server. */
  readonly link: string;
}

/**
 * Creates an invitation to the administrator's organization, from `{email, role}`. The store gets only the hash of the link's
 * secret.
 * @throws ProblemError `invalid_body`, `invalid_field`, `conflict` for the address of a member, and beyond 200 open ones; `not_found`
 * where the organization was deleted meanwhile
 */
export async function createInvitation(
  dependencies: DirectoryPorts,
  actor: Administrator,
  input: unknown,
): Promise<CreatedInvitation> {
  const { stores, clock, random } = dependencies;
  const { organizationId, id: invitedBy } = actor;
  const { email, role } = parseInvitation(input);
  await refuseMember(dependencies, organizationId, email);
  const now = clock.now();
  await requireRoom(dependencies, actor, await stores.invitations.listInvitations(organizationId, now));
  const secret = newSecretText(random);
  const invitation: InvitationRecord = {
    invitationId: `inv_${uuid(random)}`,
    secretHash: sha256base64url(secret),
    ...{ organizationId, email, role, invitedBy },
    ...{ createdAt: now, expiresAt: now + INVITATION_LIFETIME },
  };
  const { invitationId } = invitation;
  const event = directoryEvent(dependencies, actor, "member.invited", { details: { role, invitationId } }, [
    invitationId,
    email,
  ]);
  // A registry that still runs the former release answers nothing, and has made it.
  if ((await stores.invitations.createInvitation(invitation, event)) === false) throw unknownOrganization();
  const { baseURL } = dependencies.configuration().configuration.console;
  return { invitation, link: `${baseURL}/console/invitation#token=${secret}` };
}

/** The organization's invitations that somebody can accept, newest first. */
export async function listInvitations(
  dependencies: Pick<DirectoryPorts, "stores" | "clock">,
  organizationId: string,
): Promise<readonly InvitationRecord[]> {
  const { stores, clock } = dependencies;
  return acceptable(
    dependencies,
    organizationId,
    await stores.invitations.listInvitations(organizationId, clock.now()),
  );
}

/** The invitations of people who are still owners. */
async function acceptable(
  dependencies: Pick<DirectoryPorts, "stores">,
  organizationId: string,
  open: readonly InvitationRecord[],
): Promise<readonly InvitationRecord[]> {
  const inviters = [...new Set(open.map(({ invitedBy }) => invitedBy))];
  const owners = await Promise.all(inviters.map((userId) => isOwner(dependencies, organizationId, userId)));
  return open.filter(({ invitedBy }) => owners[inviters.indexOf(invitedBy)]);
}

/** @throws ProblemError `not_found` */
export async function revokeInvitation(
  dependencies: DirectoryPorts,
  actor: Administrator,
  invitationId: string,
): Promise<void> {
  const event = directoryEvent(dependencies, actor, "invitation.revoked", { details: { invitationId } });
  const { invitations } = dependencies.stores;
  const isKnown =
    INVITATION_ID.test(invitationId) && (await invitations.revokeInvitation(actor.organizationId, invitationId, event));
  if (!isKnown) throw new ProblemError("not_found", "There is no such open invitation in this organization.");
}

/**
 * The open invitation of a link's secret. Undefined if it is unknown, used, revoked or expired, or if the person who created it
 * is not an owner any more: a former owner must not be able to come back.
 */
export async function findInvitation(
  dependencies: Pick<DirectoryPorts, "stores" | "clock">,
  secret: string,
): Promise<InvitationRecord | undefined> {
  if (!isSecretText(secret)) return undefined;
  const { stores, clock } = dependencies;
  const invitation = await stores.invitations.findInvitation(sha256base64url(secret), clock.now());
  if (invitation === undefined) return undefined;
  const { organizationId, invitedBy } = invitation;
  return (await isOwner(dependencies, organizationId, invitedBy)) ? invitation : undefined;
}

async function isOwner(
  { stores }: Pick<DirectoryPorts, "stores">,
  organizationId: string,
  userId: string,
): Promise<boolean> {
  const memberships = await stores.directory.memberships(userId);
  return memberships.some((one) => one.organizationId === organizationId && one.role === "owner");
}

/** If the limit is reached, revokes one invitation that nobody can accept. No list shows it, so nobody could revoke it. */
async function requireRoom(
  dependencies: DirectoryPorts,
  actor: Administrator,
  open: readonly InvitationRecord[],
): Promise<void> {
  if (open.length < MAX_OPEN) return;
  const shown = await acceptable(dependencies, actor.organizationId, open);
  const useless = open.findLast((one) => !shown.includes(one));
  if (useless === undefined) {
    throw new ProblemError("conflict", `${MAX_OPEN} invitations are open. Revoke those that nobody needs.`);
  }
  const { invitationId } = useless;
  const event = directoryEvent(dependencies, actor, "invitation.revoked", { details: { invitationId } });
  await dependencies.stores.invitations.revokeInvitation(actor.organizationId, invitationId, event);
}

async function refuseMember(
  { stores }: Pick<DirectoryPorts, "stores">,
  organizationId: string,
  email: string,
): Promise<void> {
  if ((await membersWithAddress({ stores }, organizationId, email)).length > 0) {
    throw new ProblemError("conflict", "A member of this organization has this address already.");
  }
}

function parseInvitation(input: unknown): Pick<InvitationRecord, "email" | "role"> {
  const fields = readFields(input, ["email", "role"]);
  const [email, role] = [emailField(fields), roleField(fields)];
  fields.finish();
  return { email, role } as Pick<InvitationRecord, "email" | "role">;
}

const INVITATION_ID = /^inv_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
