import type { Directory, OrganizationRecord } from "../../lib/stores/directory.ts";
import type { StateBindings } from "./env.ts";
import { registryOf } from "./objects.ts";
import { repeatedly } from "./repeat.ts";

export function cloudflareDirectory(env: StateBindings): Directory {
  const registry = () => registryOf(env);
  return {
    createFirstOrganization: (organization, event) => registry().createFirstOrganization(organization, event),
    createFirstOwner: (first, event) => registry().createFirstOwner(first, event),
    firstOrganization: () => organization(async () => registry().firstOrganization()),
    getOrganization: (organizationId) => organization(async () => registry().getOrganization(organizationId)),
    getPerson: (userId) => repeatedly(async () => registry().getPerson(userId)),
    findPersonByEmail: (email) => repeatedly(async () => registry().findPersonByEmail(email)),
    memberships: (userId) => repeatedly(async () => registry().memberships(userId)),
    createSignInLink: (link, event) => registry().createSignInLink(link, event),
    consumeSignInLink: (secretHash, now) => registry().consumeSignInLink(secretHash, now),
    createBrowserSession: (session) => registry().createBrowserSession(session),
    getBrowserSession: (sessionHash) => repeatedly(async () => registry().getBrowserSession(sessionHash)),
    touchBrowserSession: (sessionHash, lastSeenAt) =>
      repeatedly(async () => registry().touchBrowserSession(sessionHash, lastSeenAt)),
    deleteBrowserSession: (sessionHash) => repeatedly(async () => registry().deleteBrowserSession(sessionHash)),
    browserSessions: (userId, now) => repeatedly(async () => registry().browserSessions(userId, now)),
  };
}

/** A registry that still runs the former release knows no revisions: its organizations are at the first. */
async function organization(
  read: () => Promise<OrganizationRecord | undefined>,
): Promise<OrganizationRecord | undefined> {
  const record = await repeatedly(read);
  return record && { ...record, revision: record.revision ?? 1 };
}
