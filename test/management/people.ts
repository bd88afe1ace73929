import { redeemInvitation } from "../../lib/directory/accept-invitation.ts";
import { startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { createInvitation } from "../../lib/directory/invitations.ts";
import { removeMember } from "../../lib/directory/members.ts";
import { createOrganization } from "../../lib/directory/organizations.ts";
import { newUserId } from "../../lib/directory/person.ts";
import type { Role, SignInMethod } from "../../lib/stores/directory.ts";
import { assertionNow, sendAssertion, signerOf } from "../security/in-process-client.ts";
import { COOKIE, type ManagedInstance, type ManagedOptions, RECOVERED, startManaged } from "./instance.ts";

/** An instance with two organizations, and whoever may want something of it. */
export interface World {
  readonly product: ManagedInstance;
  /** The first organization. */
  readonly organizationId: string;
  /** Its owner. */
  readonly ownerId: string;
  readonly callers: Readonly<Record<CallerName, Caller>>;
  /** Somebody new in the first organization. */
  newMember(role?: Role): Promise<string>;
  /** The secret of an invitation into an organization that none of the callers belongs to. */
  newInvitation(): Promise<string>;
  /** One more of the first organization's owner, to which its member belongs as well. */
  newOrganization(): Promise<string>;
  /** An API client of the first organization. */
  newApiClient(scopes: readonly string[]): Promise<Caller>;
  /** A new session, as a `Cookie` header. */
  cookieOf(userId: string): Promise<string>;
}

export interface Caller {
  /** Absent: no person. */
  readonly userId?: string;
  /** Of each call anew, as some calls end sessions. */
  credentials(): Promise<Readonly<Record<string, string>>>;
}

export type CallerName =
  | "an owner"
  | "a member"
  | "somebody without organization"
  | "an owner of another organization"
  | "an API client with every permission"
  | "an API client without permissions"
  | "nobody";

export const PERMISSIONS = [
  "audit:read",
  "deployments:publish",
  "sessions:read",
  "sessions:write",
  "stops:read",
  "stops:write",
  "tools:read",
];

/** @param method by which people have signed in; what some do takes the passkey that they add */
export async function startWorld(options: ManagedOptions = {}, method: SignInMethod = "link"): Promise<World> {
  const product = await startManaged(options);
  const { dependencies } = product;
  const { directory } = dependencies.stores;
  const organizationId = (await directory.firstOrganization())?.organizationId as string;
  const ownerId = (await directory.findPersonByEmail(RECOVERED))?.userId as string;
  const home = { organizationId, ownerId };
  const elsewhere = await foundedElsewhere(product, home);
  const far = await foundedElsewhere(product, home);
  const memberId = await joined(product, home, "member");
  const cookieOf = async (userId: string) =>
    `${COOKIE}=${await startBrowserSession(dependencies, userId, { method, userAgent: "A browser" })}`;
  const person = (userId: string): Caller => ({
    userId,
    credentials: async () => ({ Cookie: await cookieOf(userId) }),
  });
  return {
    product,
    organizationId,
    ownerId,
    callers: {
      "an owner": person(ownerId),
      "a member": person(memberId),
      "somebody without organization": person(newUserId(dependencies)),
      "an owner of another organization": person(elsewhere.ownerId),
      "an API client with every permission": await clientWith(product, PERMISSIONS),
      "an API client without permissions": await clientWith(product, ["notes:read"]),
      nobody: { credentials: async () => ({}) },
    },
    newMember: (role = "member") => joined(product, home, role),
    newInvitation: () => {
      // Later than all else, so that the callers' own organization stays the one that they joined first.
      product.clock.set(product.clock.now() + 1);
      return invited(product, far, "member");
    },
    newOrganization: async () => {
      product.clock.set(product.clock.now() + 1);
      const founder = { id: ownerId, requestId: "request" };
      const made = await createOrganization(dependencies, founder, { name: "For now" });
      const secret = await invited(product, { organizationId: made.organizationId, ownerId }, "member");
      await redeemInvitation(dependencies, secret, { userId: memberId, isNew: false }, "request");
      return made.organizationId;
    },
    newApiClient: (scopes) => clientWith(product, scopes),
    cookieOf,
  };
}

interface Home {
  readonly organizationId: string;
  readonly ownerId: string;
}

/** Somebody who came with an invitation, founded an organization and left. */
async function foundedElsewhere(product: ManagedInstance, home: Home): Promise<Home> {
  const { dependencies } = product;
  const ownerId = await joined(product, home, "member");
  const founder = { id: ownerId, requestId: "request" };
  const { organizationId } = await createOrganization(dependencies, founder, { name: "Elsewhere" });
  await removeMember(dependencies, { ...founder, organizationId: home.organizationId }, ownerId);
  return { organizationId, ownerId };
}

async function joined(product: ManagedInstance, home: Home, role: Role): Promise<string> {
  const { dependencies } = product;
  const userId = newUserId(dependencies);
  const secret = await invited(product, home, role);
  await redeemInvitation(dependencies, secret, { userId, isNew: true }, "request");
  return userId;
}

async function invited({ dependencies }: ManagedInstance, home: Home, role: Role): Promise<string> {
  const actor = { id: home.ownerId, organizationId: home.organizationId, requestId: "request" };
  const email = `${crypto.randomUUID()}@example.com`;
  const { link } = await createInvitation(dependencies, actor, { email, role });
  return new URL(link).hash.replace("#token=", "");
}

async function clientWith(product: ManagedInstance, scopes: readonly string[]): Promise<Caller> {
  const signer = await signerOf(await product.createClient({ scopes }));
  const { body } = await sendAssertion(product, await assertionNow(product, signer));
  const { access_token: token } = body as { readonly access_token: string };
  return { credentials: async () => ({ Authorization: `Bearer ${token}` }) };
}
