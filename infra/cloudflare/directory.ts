import type { Directory } from "../../lib/stores/directory.ts";
import type { StateBindings } from "./env.ts";
import { registryOf } from "./objects.ts";

export function cloudflareDirectory(env: StateBindings): Directory {
  const registry = () => registryOf(env);
  return {
    createFirstOrganization: (organization, event) => registry().createFirstOrganization(organization, event),
    createFirstOwner: (first, event) => registry().createFirstOwner(first, event),
    firstOrganization: () => registry().firstOrganization(),
    getOrganization: (organizationId) => registry().getOrganization(organizationId),
    getPerson: (userId) => registry().getPerson(userId),
    findPersonByEmail: (email) => registry().findPersonByEmail(email),
    memberships: (userId) => registry().memberships(userId),
    createSignInLink: (link, event) => registry().createSignInLink(link, event),
    consumeSignInLink: (secretHash, now) => registry().consumeSignInLink(secretHash, now),
    createBrowserSession: (session) => registry().createBrowserSession(session),
    getBrowserSession: (sessionHash) => registry().getBrowserSession(sessionHash),
    touchBrowserSession: (sessionHash, lastSeenAt) => registry().touchBrowserSession(sessionHash, lastSeenAt),
    deleteBrowserSession: (sessionHash) => registry().deleteBrowserSession(sessionHash),
  };
}
