import type { Configuration } from "../config/configuration.ts";
import { isJsonObject } from "../kernel/json.ts";
import { ProblemError } from "../kernel/problem.ts";
import { isSameIssuer, issuerFromWellKnown } from "../protocol/oauth/issuer.ts";
import type { SignInMethod } from "../stores/directory.ts";
import type { IdentityRecord } from "../stores/identities.ts";
import type { PasskeyRecord } from "../stores/passkeys.ts";
import { relyingPartyOf } from "./passkeys/ceremony.ts";
import type { DirectoryPorts } from "./ports.ts";

/** A method by which a person signs in: a passkey or a linked account. */
type PersonSignInMethod = PasskeyRecord | IdentityRecord;

/**
 * Refuses to remove a person's last sign-in method. Methods that no longer work here do not count. Two concurrent requests
 * can remove the last two methods; a sign-in link lets the person in again.
 * @throws ProblemError `conflict`, which says what to add first
 */
export async function requireAnotherSignInMethod(
  dependencies: DirectoryPorts,
  userId: string,
  isRemoved: (method: PersonSignInMethod) => boolean,
): Promise<void> {
  const methods = await signInMethods(dependencies, userId);
  if (!methods.some(isRemoved) || methods.some((method) => !isRemoved(method))) return;
  const { configuration } = dependencies.configuration();
  const advice = [
    ...(relyingPartyOf(configuration) !== undefined ? ["add another passkey"] : []),
    ...(consoleIssuers(configuration).length > 0
      ? [`link another account (${configuration.console.connectors.join(", ")})`]
      : []),
  ];
  throw new ProblemError("conflict", `This is your last way to sign in: first ${advice.join(" or ")}.`);
}

/** Whether a person has a sign-in method that works here. */
async function hasSignInMethod(dependencies: DirectoryPorts, userId: string): Promise<boolean> {
  return (await signInMethods(dependencies, userId)).length > 0;
}

/** How long after signing in a person may change their sign-in methods, in milliseconds. */
export const RECENT_SIGN_IN = 600_000;

/** A signed-in person, and when the session of the request began. */
interface SignedInPerson {
  /** `user_…`. */
  readonly id: string;
  readonly signedInAt: number;
}

interface SignedInBy extends SignedInPerson {
  readonly method: SignInMethod;
}

/** A person in one of their organizations. */
interface ActingMember extends Pick<SignedInPerson, "id"> {
  readonly organizationId: string;
}

/** How many passkeys a person may have. Concurrent requests may create one more, which does no harm. */
export const MOST_PASSKEYS = 20;

/**
 * Sign-in methods can be changed only soon after signing in (D151). Otherwise someone who borrows a browser could get lasting
 * access. A person without any sign-in method is exempt, because they could not sign in again.
 * @param ceremony how long the ceremony that ends now may have taken, in milliseconds; it began in time
 * @throws ProblemError `recent_sign_in_required`
 */
export async function requireRecentSignIn(
  dependencies: DirectoryPorts,
  { id, signedInAt }: SignedInPerson,
  ceremony = 0,
): Promise<void> {
  if (dependencies.clock.now() - signedInAt <= RECENT_SIGN_IN + ceremony) return;
  if (!(await hasSignInMethod(dependencies, id))) return;
  throw new ProblemError(
    "recent_sign_in_required",
    `Sign in again: how you sign in can be changed for ${RECENT_SIGN_IN / 60_000} minutes after that.`,
  );
}

/** Whether a session began with what only the person has, or what the operator made for them. */
export function isStrongSignIn(method: string | undefined): boolean {
  return method === "passkey" || method === "link";
}

/**
 * Who has a passkey adds another one after signing in with it. Otherwise an account at a provider alone would do for what approvals ask
 * for (D230). Who has lost it removes it first, and then approves nothing for a day.
 *
 * @throws ProblemError `recent_sign_in_required`
 */
export async function requirePasskeySignIn(
  { stores, configuration }: DirectoryPorts,
  { id, signedInAt, method }: SignedInBy,
  detail = "Sign in with your passkey to add another one. If you have lost it, remove it first.",
): Promise<void> {
  if (isStrongSignIn(method) || relyingPartyOf(configuration().configuration) === undefined) return;
  const passkeys = await stores.passkeys.listPasskeys(id);
  // A session in which the first one was made goes on with it.
  if (passkeys.every(({ createdAt }) => createdAt > signedInAt)) return;
  throw new ProblemError("recent_sign_in_required", detail);
}

/**
 * Who makes another owner has shown what owners show who approve calls: else an account at a provider alone would bring in somebody
 * who then approves (D230).
 *
 * @throws ProblemError `recent_sign_in_required`, or `forbidden` for a day after a passkey was lost
 */
export async function mayMakeOwners(ports: DirectoryPorts, person: SignedInBy & ActingMember): Promise<void> {
  await requirePasskeySignIn(ports, person, "Sign in with your passkey to make somebody an owner.");
  if (!(await hasLostPasskey(ports, person))) return;
  throw new ProblemError(
    "forbidden",
    "A passkey of yours was removed without signing in with one. For a day after that you make nobody an owner, so that nobody does who has only your account.",
  );
}

/** What may be done after a proof, in words. */
interface Proven {
  /** Goes before "for ten minutes after that". */
  readonly may: string;
  /** Goes after "For a day after that". */
  readonly mayNot: string;
}

/**
 * Who does what reaches others proves who they are: by a sign-in of the last ten minutes, and with a passkey where they have one. Unlike
 * for changes of one's own sign-in (D151) nobody is exempt.
 *
 * @throws ProblemError `recent_sign_in_required`, or `forbidden` for a day after a passkey was lost
 */
export async function requireProof(
  ports: Pick<DirectoryPorts, "configuration" | "clock"> & {
    readonly stores: Pick<DirectoryPorts["stores"], "passkeys" | "auditLog">;
  },
  person: SignedInBy & ActingMember,
  { may, mayNot }: Proven,
): Promise<void> {
  const since = ports.clock.now() - person.signedInAt;
  const hasPasskey =
    relyingPartyOf(ports.configuration().configuration) !== undefined &&
    (await ports.stores.passkeys.listPasskeys(person.id)).length > 0;
  if (await hasLostPasskey(ports, person)) {
    throw new ProblemError(
      "forbidden",
      `A passkey of yours was removed without signing in with one. For a day after that ${mayNot}, so that nobody does who has only your account.`,
    );
  }
  if (since <= RECENT_SIGN_IN && (person.method === "passkey" || !hasPasskey)) return;
  const how = hasPasskey ? "with your passkey" : "again";
  throw new ProblemError(
    "recent_sign_in_required",
    `Sign in ${how}: ${may} for ${RECENT_SIGN_IN / 60_000} minutes after that.`,
  );
}

/** Whether the body of an invitation, or of a change of role, is about an owner. */
export function namesOwner(input: unknown): boolean {
  return isJsonObject(input) && input.role === "owner";
}

const DAY = 86_400_000;

/** Whether somebody who may have the person's account at a provider alone has removed a passkey of theirs in the last day. */
export async function hasLostPasskey(
  { stores, clock }: Pick<DirectoryPorts, "clock"> & { readonly stores: Pick<DirectoryPorts["stores"], "auditLog"> },
  { id, organizationId }: ActingMember,
): Promise<boolean> {
  const filter = { organizationId, type: "passkey.removed", actor: id, from: clock.now() - DAY };
  const { items } = await stores.auditLog.query(filter, { limit: MOST_PASSKEYS });
  return items.some(({ details }) => !isStrongSignIn(details?.method));
}

async function signInMethods(
  { stores, configuration }: DirectoryPorts,
  userId: string,
): Promise<readonly PersonSignInMethod[]> {
  const { configuration: current } = configuration();
  const issuers = consoleIssuers(current);
  const [passkeys, identities] = await Promise.all([
    relyingPartyOf(current) === undefined ? [] : stores.passkeys.listPasskeys(userId),
    stores.identities.listIdentities(userId),
  ]);
  return [...passkeys, ...identities.filter(({ issuer }) => issuers.some((one) => isSameIssuer(one, issuer)))];
}

/** The issuers of the connectors of the Console. */
function consoleIssuers({ console, connectors }: Configuration): readonly string[] {
  return connectors
    .filter(({ name }) => console.connectors.includes(name))
    .flatMap(({ wellKnownURL }) => issuerFromWellKnown(wellKnownURL) ?? []);
}
