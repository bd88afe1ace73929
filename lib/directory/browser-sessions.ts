import type { Dependencies } from "../dependencies.ts";
import { sha256base64url } from "../encoding.ts";
import type { BrowserSessionRecord, ConnectorSignIn } from "../stores/directory.ts";
import { isSecretText, newSecretText } from "./secret-text.ts";

/**
 * Starts a session for a person who has just signed in; resolves to the cookie's value, of which only the hash is kept. It
 * is a new one with each sign-in, so that nobody can plant one beforehand.
 *
 * @param signIn what the connector told, where the person came through one
 */
export async function startBrowserSession(
  dependencies: Dependencies,
  userId: string,
  signIn?: ConnectorSignIn,
): Promise<string> {
  const value = newSecretText(dependencies.random);
  const now = dependencies.clock.now();
  await dependencies.stores.directory.createBrowserSession({
    sessionHash: sha256base64url(value),
    userId,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + dependencies.configuration().configuration.session.maxTimeout,
    ...(signIn !== undefined && { signIn }),
  });
  return value;
}

/** The live session of a cookie's value, or undefined when it is unknown, idle for too long or over. */
export async function resumeBrowserSession(
  dependencies: Dependencies,
  value: string,
): Promise<BrowserSessionRecord | undefined> {
  if (!isSecretText(value)) return undefined;
  const { directory } = dependencies.stores;
  const session = await directory.getBrowserSession(sha256base64url(value));
  if (session === undefined) return undefined;
  const now = dependencies.clock.now();
  const { idleTimeout } = dependencies.configuration().configuration.session;
  if (isOver(session, now, idleTimeout)) {
    await directory.deleteBrowserSession(session.sessionHash);
    return undefined;
  }
  if (now - session.lastSeenAt > touchInterval(idleTimeout)) {
    await directory.touchBrowserSession(session.sessionHash, now);
  }
  return session;
}

/** Ends a session on the server: the cookie's value is worthless from here on. */
export async function endBrowserSession(dependencies: Dependencies, value: string): Promise<void> {
  if (!isSecretText(value)) return;
  await dependencies.stores.directory.deleteBrowserSession(sha256base64url(value));
}

/** The stored `lastSeenAt` lags by up to one touch interval, so idleness counts from there: never early, 1/60 late. */
function isOver(session: BrowserSessionRecord, now: number, idleTimeout: number): boolean {
  return now >= session.expiresAt || now >= session.lastSeenAt + idleTimeout + touchInterval(idleTimeout);
}

function touchInterval(idleTimeout: number): number {
  return idleTimeout / 60;
}
