import type { CreatedInvitation } from "../directory/invitations.ts";
import { withoutUnseen } from "../kernel/plain-name.ts";
import { html } from "../pages/html.ts";
import type { Directory } from "../stores/directory.ts";
import { type EmailPorts, type Mail, senderName, sendMail } from "./email.ts";

export interface InvitationMailPorts extends EmailPorts {
  readonly stores: { readonly directory: Pick<Directory, "getOrganization"> };
}

/**
 * Sends an invitation's link to the one who is invited. Never rejects: the invitation is there either way.
 *
 * @returns whether it was sent; undefined: this instance sends no mail
 */
export async function mailInvitation(
  { invitation, link }: CreatedInvitation,
  ports: InvitationMailPorts,
): Promise<boolean | undefined> {
  if (ports.configuration().configuration.email === undefined) return undefined;
  const { organizationId, email, role, expiresAt } = invitation;
  const name = await nameOf(organizationId, ports);
  const mail = invitationMail({ to: email, role, expiresAt, link, sender: senderName(ports), organization: name });
  return sendMail(mail, organizationId, ports);
}

/** The organization's name, if the store tells it: without it the message is as good. */
async function nameOf(organizationId: string, { stores, logger }: InvitationMailPorts): Promise<string | undefined> {
  try {
    return (await stores.directory.getOrganization(organizationId))?.name;
  } catch (cause) {
    logger.warn("a mail does not name its organization", { organizationId, cause: String(cause) });
    return undefined;
  }
}

/** What an invitation's message is made of. */
export interface InvitationMailParts {
  readonly to: string;
  readonly role: "owner" | "member";
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly link: string;
  /** Who sends, by the operator's configuration. */
  readonly sender: string;
  /** What people call their organization; undefined: not known. */
  readonly organization: string | undefined;
}

export function invitationMail({ to, role, expiresAt, link, sender, organization }: InvitationMailParts): Mail {
  const name = organization === undefined ? undefined : shownName(organization);
  const whose = name === undefined ? "an organization" : `the organization "${name}"`;
  const what = `You are invited to join ${whose} at ${sender} as ${role === "owner" ? "an owner" : "a member"}.`;
  const how = `Open this link to accept. It works once, until ${dateOf(expiresAt)}:`;
  const otherwise =
    "Whoever has the link can use it: do not pass it on. If you do not expect an invitation, ignore this message.";
  return {
    to,
    subject: `Your invitation to ${sender}`,
    text: `${[what, how, link, otherwise].join("\n\n")}\n`,
    html: html`<!doctype html>
<html lang="en">
<body>
<p>${what}</p>
<p>${how}</p>
<p><a href="${link}">${link}</a></p>
<p>${otherwise}</p>
</body>
</html>
`.html,
  };
}

/** Characters of an organization's name in a message. */
const LONGEST_NAME = 60;
/** What mail programs may make a link or an address of. */
const LINKED = /[:/\\@]|\.[\p{L}\p{N}]/u;

/**
 * The name of an organization in a message that comes from the operator's address. People choose it: one that could be read as a link
 * leads elsewhere, and is left out.
 */
function shownName(name: string): string | undefined {
  const plain = withoutUnseen(name).replaceAll('"', "'").trim();
  if (plain === "" || LINKED.test(plain)) return undefined;
  return plain.length <= LONGEST_NAME ? plain : `${plain.slice(0, LONGEST_NAME).toWellFormed()}…`;
}

/** `2026-12-06 09:00 UTC` */
function dateOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
