import { auditEvent } from "../../audit/event.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { IdentityKey, IdentityRecord } from "../../stores/identities.ts";

/**
 * With whom an account is linked. A link that outlived its person, who was forgotten while it was made, is none: it would
 * keep the account from everybody for good.
 */
export async function findLinkedPerson(
  { stores }: Pick<Dependencies, "stores">,
  account: IdentityKey,
): Promise<IdentityRecord | undefined> {
  const identity = await stores.identities.findIdentity(account);
  return identity !== undefined && (await isHere(stores, identity)) ? identity : undefined;
}

/** Takes such a link away, in the name of whoever links the account now; false where there is none. */
export async function takeFromForgotten(
  dependencies: Dependencies,
  account: IdentityKey,
  { userId, requestId }: { readonly userId: string; readonly requestId: string },
): Promise<boolean> {
  const { stores } = dependencies;
  const identity = await stores.identities.findIdentity(account);
  if (identity === undefined || (await isHere(stores, identity))) return false;
  const { connector, subject } = identity;
  const event = auditEvent(dependencies, {
    ...{ type: "identity.unlinked", outcome: "success", reason: "the person is gone" },
    ...{ actor: userId, user: identity.userId, requestId },
    details: { connector, subject },
  });
  return stores.identities.unlinkIdentity(identity.userId, identity, event);
}

async function isHere({ directory }: Dependencies["stores"], { userId }: IdentityRecord): Promise<boolean> {
  return (await directory.getPerson(userId)) !== undefined;
}
