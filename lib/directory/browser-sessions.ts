import { sha256base64url } from "#sha256";
import type { Administrator } from "../api-clients/client-event.ts";
import { ProblemError } from "../kernel/problem.ts";
import { isSecretText, newSecretText } from "../kernel/secret-text.ts";
import type { BrowserSessionRecord, ClaimsRenewals, ConnectorSignIn, SignInMethod } from "../stores/directory.ts";
import { StoreUnavailableError } from "../stores/unavailable.ts";
import { directoryEvent } from "./audit-events.ts";
import type { DirectoryPorts } from "./ports.ts";
import { stopOfPerson } from "./stopped-person.ts";

/** What a session is resumed with. */
export interface SessionPorts extends Pick<DirectoryPorts, "clock" | "configuration"> {
  readonly instanceStops: Pick<DirectoryPorts["instanceStops"], "current">;
  readonly stores: Pick<DirectoryPorts["stores"], "directory" | "identities">;
}

/** The sign-in method and the browser of a session in the Console. */
export interface ConsoleSignIn {
  readonly method: SignInMethod;
  /** `User-Agent` of the request. */
  readonly userAgent: string | undefined;
}

/** The connector sign-in of a session at the authorization server. */
export interface ApplicationSignIn {
  readonly signIn: ConnectorSignIn;
  /** Those that joined it, each at another connector. */
  readonly further?: readonly ConnectorSignIn[];
  /** By connector; without those whose claims stay as they are. */
  readonly renewals?: ClaimsRenewals;
}

/** The session that a new one goes on with; it ends no later than that would have. */
type FormerSession = Pick<BrowserSessionRecord, "createdAt" | "expiresAt">;

/** A person's session in the Console. */
export type ConsoleSession = BrowserSessionRecord & Pick<ConsoleSignIn, "method">;

/** A person's session at the authorization server. */
export type ApplicationSession = BrowserSessionRecord & ApplicationSignIn;

/**
 * Starts a session for a person who has just signed in. Resolves to the value of the cookie; the store gets only its hash. Each
 * sign-in gets a new value, which prevents session fixation. A session is either for the Console or for applications (D131).
 *
 * @throws ProblemError `forbidden` for a person who is suspended, in the Console. With the setup token a session begins all the
 * same, and is good as soon as that was taken back
 */
export async function startBrowserSession(
  dependencies: DirectoryPorts,
  userId: string,
  begun: ConsoleSignIn | (ApplicationSignIn & { readonly former?: FormerSession }),
): Promise<string> {
  const value = newSecretText(dependencies.random);
  const now = dependencies.clock.now();
  // At the authorization server no chain starts for a person who is stopped, which the client is told.
  if (
    "method" in begun &&
    begun.method !== "setup" &&
    (await stopOfPerson(dependencies, { userId, createdAt: now })) !== undefined
  )
    throw personStopped();
  const times = { createdAt: now, expiresAt: now + dependencies.configuration().configuration.session.maxTimeout };
  await dependencies.stores.directory.createBrowserSession({
    sessionHash: sha256base64url(value),
    userId,
    lastSeenAt: now,
    ...times,
    ...("signIn" in begun ? applicationFields(begun) : consoleFields(begun)),
  });
  return value;
}

/** Every sign-in that a session stands on, the first one first. */
export function signInsOf({ signIn, further = [] }: ApplicationSignIn): readonly ConnectorSignIn[] {
  return [signIn, ...further];
}

/** The live session of the authorization server's cookie; undefined if it is unknown, idle for too long or expired. */
export async function resumeBrowserSession(
  dependencies: DirectoryPorts,
  value: string,
): Promise<ApplicationSession | undefined> {
  return isSecretText(value) ? resumeSessionOfHash(dependencies, sha256base64url(value)) : undefined;
}

/**
 * The live session of the authorization server that is stored under a hash.
 *
 * @param remembered its record, as it was read lately
 */
export async function resumeSessionOfHash(
  dependencies: SessionPorts,
  sessionHash: string,
  remembered?: BrowserSessionRecord,
): Promise<ApplicationSession | undefined> {
  return resume(dependencies, { sessionHash, remembered }, isApplicationSession);
}

/** The live session of the Console's cookie. */
export async function resumeConsoleSession(
  dependencies: DirectoryPorts,
  value: string,
): Promise<ConsoleSession | undefined> {
  return isSecretText(value)
    ? resume(dependencies, { sessionHash: sha256base64url(value) }, isConsoleSession)
    : undefined;
}

/** Ends a session of the Console on the server. The value of the cookie is then useless. */
export async function endBrowserSession(dependencies: DirectoryPorts, value: string): Promise<void> {
  if (!isSecretText(value)) return;
  await dependencies.stores.directory.deleteBrowserSession(sha256base64url(value));
}

/** Whether a session opens the Console. */
function isConsoleSession(session: BrowserSessionRecord): session is ConsoleSession {
  return session.method !== undefined && session.signIn === undefined;
}

/** A person's live sessions in the Console, newest first. */
export async function listBrowserSessions(
  { stores, clock, configuration }: Pick<DirectoryPorts, "stores" | "clock" | "configuration">,
  userId: string,
): Promise<readonly ConsoleSession[]> {
  const now = clock.now();
  const { idleTimeout } = configuration().configuration.session;
  const sessions = await stores.directory.browserSessions(userId, now);
  return sessions.filter(isConsoleSession).filter((session) => !isSessionOver(session, now, idleTimeout));
}

/**
 * Ends one of the person's own sessions. Each organization of the person gets an audit record.
 * @param sessionId the hash under which the session is stored
 * @throws ProblemError `not_found`, also for anybody else's
 */
export async function endOwnSession(
  dependencies: DirectoryPorts,
  actor: Omit<Administrator, "organizationId">,
  sessionId: string,
): Promise<void> {
  const { directory } = dependencies.stores;
  const session = isSecretText(sessionId) ? await directory.getBrowserSession(sessionId) : undefined;
  if (session === undefined || session.userId !== actor.id || !isConsoleSession(session)) throw unknownSession();
  await end(dependencies, actor, sessionId);
}

/** Ends the session of the Console's cookie and records it in the same way. Does nothing without a session. */
export async function signOut(dependencies: DirectoryPorts, value: string, requestId: string): Promise<void> {
  const session = await resumeConsoleSession(dependencies, value);
  if (session !== undefined) await end(dependencies, { id: session.userId, requestId }, session.sessionHash);
}

function isApplicationSession(session: BrowserSessionRecord): session is ApplicationSession {
  return session.signIn !== undefined && session.method === undefined;
}

async function resume<Kind extends BrowserSessionRecord>(
  dependencies: SessionPorts,
  { sessionHash, remembered }: { readonly sessionHash: string; readonly remembered?: BrowserSessionRecord | undefined },
  isMeant: (session: BrowserSessionRecord) => session is Kind,
): Promise<Kind | undefined> {
  const { directory } = dependencies.stores;
  const session = remembered ?? (await directory.getBrowserSession(sessionHash));
  if (session === undefined || !isMeant(session)) return undefined;
  // A stop in one organization is looked up where one is chosen.
  if ((await stopOfPerson(dependencies, session)) !== undefined) return undefined;
  const now = dependencies.clock.now();
  const { idleTimeout } = dependencies.configuration().configuration.session;
  if (isSessionOver(session, now, idleTimeout)) {
    await ifKept(directory.deleteBrowserSession(session.sessionHash));
    return undefined;
  }
  if (now - session.lastSeenAt <= touchInterval(idleTimeout)) return session;
  await ifKept(directory.touchBrowserSession(session.sessionHash, now));
  return { ...session, lastSeenAt: now };
}

function personStopped(): ProblemError {
  return new ProblemError(
    "forbidden",
    "An administrator has suspended your access. Ask an owner of your organization.",
  );
}

/** Nothing depends on it now: a store that keeps nothing is still read. */
async function ifKept(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
}

/** The stored `lastSeenAt` is up to one touch interval old, so a session ends up to 1/60 of the idle timeout late, and never early. */
function isSessionOver(session: BrowserSessionRecord, now: number, idleTimeout: number): boolean {
  return now >= session.expiresAt || now >= session.lastSeenAt + idleTimeout + touchInterval(idleTimeout);
}

function touchInterval(idleTimeout: number): number {
  return idleTimeout / 60;
}

function applicationFields({
  signIn,
  further = [],
  renewals,
  former,
}: ApplicationSignIn & { readonly former?: FormerSession }): Partial<BrowserSessionRecord> {
  return {
    signIn,
    ...(further.length > 0 && { further }),
    ...(renewals !== undefined && Object.keys(renewals.tokens).length > 0 && { renewals }),
    ...(former !== undefined && { createdAt: former.createdAt, expiresAt: former.expiresAt }),
  };
}

function consoleFields({ method, userAgent }: ConsoleSignIn): Pick<BrowserSessionRecord, "method" | "userAgent"> {
  return { method, ...(userAgent !== undefined && userAgent !== "" && { userAgent: userAgent.slice(0, 256) }) };
}

async function end(
  dependencies: DirectoryPorts,
  actor: Omit<Administrator, "organizationId">,
  sessionId: string,
): Promise<void> {
  const { directory, auditLog } = dependencies.stores;
  await directory.deleteBrowserSession(sessionId);
  const memberships = await directory.memberships(actor.id);
  const fields = { user: actor.id, details: { sessionId } };
  await Promise.all(
    memberships.map(({ organizationId }) =>
      auditLog.append(directoryEvent(dependencies, { ...actor, organizationId }, "browser_session.ended", fields)),
    ),
  );
}

function unknownSession(): ProblemError {
  return new ProblemError("not_found", "You have no such session.");
}
