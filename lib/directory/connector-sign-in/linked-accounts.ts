import { sha256base64url } from "#sha256";
import { auditEvent } from "../../audit/event.ts";
import { ProblemError } from "../../kernel/problem.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import type { IdentityKey, IdentityRecord } from "../../stores/identities.ts";
import { type ActingPerson, personEvents } from "../audit-events.ts";
import { resumeConsoleSession } from "../browser-sessions.ts";
import type { DirectoryPorts } from "../ports.ts";
import type { SignInRequest } from "../sign-in-audit.ts";
import { requireAnotherSignInMethod } from "../sign-in-methods.ts";
import type { ConnectorIntent, ConnectorProblem } from "./pending.ts";

/** Links an account with the person who began this. The session must be the same as at the beginning. Returns the problem, if any. */
export async function linkAccount(
  dependencies: DirectoryPorts,
  account: ConnectorSignIn,
  { userId, sessionId }: Extract<ConnectorIntent, { readonly kind: "link" }>,
  { formerSession, requestId }: Pick<SignInRequest, "formerSession" | "requestId">,
): Promise<ConnectorProblem | undefined> {
  if (formerSession === undefined || sha256base64url(formerSession) !== sessionId) return "expired";
  const session = await resumeConsoleSession(dependencies, formerSession);
  if (session?.userId !== userId) return "expired";
  if (await saveIdentity(dependencies, account, { userId, requestId })) return undefined;
  const linked = await findLinkedPerson(dependencies, account);
  return linked?.userId === userId ? undefined : "already_linked";
}

/** Stores the link. False if the account is already linked with a person who still exists. */
export async function saveIdentity(
  dependencies: DirectoryPorts,
  { issuer, subject, connector, claims }: ConnectorSignIn,
  person: ActingPerson,
): Promise<boolean> {
  const label = [claims.email, claims.preferred_username, claims.name].find((claim) => typeof claim === "string");
  const identity: IdentityRecord = {
    ...{ issuer, subject, connector, userId: person.userId },
    ...(typeof label === "string" && label !== "" && { label: label.slice(0, 200).toWellFormed() }),
    createdAt: dependencies.clock.now(),
  };
  const { event, recordElsewhere } = await personEvents(dependencies, person, {
    ...{ type: "identity.linked", outcome: "success" },
    details: { connector, subject },
  });
  const { identities } = dependencies.stores;
  const isLinked =
    (await identities.linkIdentity(identity, event)) ||
    ((await removeStaleLink(dependencies, identity, person)) && (await identities.linkIdentity(identity, event)));
  if (isLinked) await recordElsewhere();
  return isLinked;
}

/**
 * Unlinks an account of the person's: nobody signs in with it from here on.
 * @throws ProblemError `not_found`, `conflict` when it is the last way to sign in
 */
export async function unlinkIdentity(
  dependencies: DirectoryPorts,
  { connector, subject }: Pick<IdentityRecord, "connector" | "subject">,
  person: ActingPerson,
): Promise<void> {
  const { identities } = dependencies.stores;
  const linked = await identities.listIdentities(person.userId);
  const identity = linked.find((one) => one.connector === connector && one.subject === subject);
  if (identity === undefined) throw unknownIdentity();
  const { issuer } = identity;
  await requireAnotherSignInMethod(
    dependencies,
    person.userId,
    (method) => "issuer" in method && method.issuer === issuer && method.subject === subject,
  );
  const { event, recordElsewhere } = await personEvents(dependencies, person, {
    ...{ type: "identity.unlinked", outcome: "success" },
    details: { connector, subject },
  });
  if (!(await identities.unlinkIdentity(person.userId, { issuer, subject }, event))) throw unknownIdentity();
  await recordElsewhere();
}

/**
 * The person with whom an account is linked. A link does not count if its person was deleted while it was made. Otherwise
 * nobody could ever use the account.
 */
export async function findLinkedPerson(
  { stores }: Pick<DirectoryPorts, "stores">,
  account: IdentityKey,
): Promise<IdentityRecord | undefined> {
  const identity = await stores.identities.findIdentity(account);
  return identity !== undefined && (await personExists(stores, identity)) ? identity : undefined;
}

/** Removes the link of a person who no longer exists. The person who links the account now is the actor. False if there is none. */
async function removeStaleLink(
  dependencies: DirectoryPorts,
  account: IdentityKey,
  { userId, requestId }: { readonly userId: string; readonly requestId: string },
): Promise<boolean> {
  const { stores } = dependencies;
  const identity = await stores.identities.findIdentity(account);
  if (identity === undefined || (await personExists(stores, identity))) return false;
  const { connector, subject } = identity;
  const event = auditEvent(dependencies, {
    ...{ type: "identity.unlinked", outcome: "success", reason: "the person is gone" },
    ...{ actor: userId, user: identity.userId, requestId },
    details: { connector, subject },
  });
  return stores.identities.unlinkIdentity(identity.userId, identity, event);
}

async function personExists({ directory }: DirectoryPorts["stores"], { userId }: IdentityRecord): Promise<boolean> {
  return (await directory.getPerson(userId)) !== undefined;
}

function unknownIdentity(): ProblemError {
  return new ProblemError("not_found", "You have no such account here.");
}
