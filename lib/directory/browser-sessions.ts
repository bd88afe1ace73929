import type { Dependencies } from "../dependencies.ts";
import { sha256base64url } from "../encoding.ts";
import type { BrowserSessionRecord, ConnectorSignIn, SignInMethod } from "../stores/directory.ts";
import { isSecretText, newSecretText } from "./secret-text.ts";

/** How a person came into the Console, and with what. */
export interface ConsoleSignIn {
  readonly method: SignInMethod;
  /** `User-Agent` of the request. */
  readonly userAgent: string | undefined;
}

/** What the connector told of a person who allows an application something. */
export interface ApplicationSignIn {
  readonly signIn: ConnectorSignIn;
}

/** A person's session in the Console. */
export type ConsoleSession = BrowserSessionRecord & Pick<ConsoleSignIn, "method">;

/** A person's session at the authorization server. */
type ApplicationSession = BrowserSessionRecord & ApplicationSignIn;

/**
 * Starts a session for a person who has just signed in; resolves to the cookie's value, of which only the hash is kept. It
 * is a new one with each sign-in, so that nobody can plant one beforehand. What it was begun for is what it opens (D131).
 */
export async function startBrowserSession(
  dependencies: Dependencies,
  userId: string,
  begun: ConsoleSignIn | ApplicationSignIn,
): Promise<string> {
  const value = newSecretText(dependencies.random);
  const now = dependencies.clock.now();
  await dependencies.stores.directory.createBrowserSession({
    sessionHash: sha256base64url(value),
    userId,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + dependencies.configuration().configuration.session.maxTimeout,
    ...("signIn" in begun ? { signIn: begun.signIn } : consoleFields(begun)),
  });
  return value;
}

/** The authorization server's live session of a cookie's value, or undefined when it is unknown, idle for too long or over. */
export async function resumeBrowserSession(
  dependencies: Dependencies,
  value: string,
): Promise<ApplicationSession | undefined> {
  return resume(dependencies, value, isApplicationSession);
}

/** The same for the Console's. */
export async function resumeConsoleSession(
  dependencies: Dependencies,
  value: string,
): Promise<ConsoleSession | undefined> {
  return resume(dependencies, value, isConsoleSession);
}

/** Ends a session on the server: the cookie's value is worthless from here on. */
export async function endBrowserSession(dependencies: Dependencies, value: string): Promise<void> {
  if (!isSecretText(value)) return;
  await dependencies.stores.directory.deleteBrowserSession(sha256base64url(value));
}

/** Whether a session opens the Console. */
export function isConsoleSession(session: BrowserSessionRecord): session is ConsoleSession {
  return session.method !== undefined && session.signIn === undefined;
}

function isApplicationSession(session: BrowserSessionRecord): session is ApplicationSession {
  return session.signIn !== undefined && session.method === undefined;
}

async function resume<Kind extends BrowserSessionRecord>(
  dependencies: Dependencies,
  value: string,
  isMeant: (session: BrowserSessionRecord) => session is Kind,
): Promise<Kind | undefined> {
  if (!isSecretText(value)) return undefined;
  const { directory } = dependencies.stores;
  const session = await directory.getBrowserSession(sha256base64url(value));
  if (session === undefined || !isMeant(session)) return undefined;
  const now = dependencies.clock.now();
  const { idleTimeout } = dependencies.configuration().configuration.session;
  if (isSessionOver(session, now, idleTimeout)) {
    await directory.deleteBrowserSession(session.sessionHash);
    return undefined;
  }
  if (now - session.lastSeenAt > touchInterval(idleTimeout)) {
    await directory.touchBrowserSession(session.sessionHash, now);
  }
  return session;
}

/** The stored `lastSeenAt` lags by up to one touch interval, so idleness counts from there: never early, 1/60 late. */
export function isSessionOver(session: BrowserSessionRecord, now: number, idleTimeout: number): boolean {
  return now >= session.expiresAt || now >= session.lastSeenAt + idleTimeout + touchInterval(idleTimeout);
}

function touchInterval(idleTimeout: number): number {
  return idleTimeout / 60;
}

function consoleFields({ method, userAgent }: ConsoleSignIn): Pick<BrowserSessionRecord, "method" | "userAgent"> {
  return { method, ...(userAgent !== undefined && userAgent !== "" && { userAgent: userAgent.slice(0, 256) }) };
}
