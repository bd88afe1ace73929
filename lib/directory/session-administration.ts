import type { Administrator } from "../api-clients/client-event.ts";
import type { Dependencies } from "../dependencies.ts";
import { ProblemError } from "../problem.ts";
import { type ConsoleSession, isConsoleSession, isSessionOver, resumeConsoleSession } from "./browser-sessions.ts";
import { directoryEvent } from "./directory-event.ts";
import { isSecretText } from "./secret-text.ts";

/** A person's live sessions in the Console, newest first. */
export async function listBrowserSessions(
  { stores, clock, configuration }: Pick<Dependencies, "stores" | "clock" | "configuration">,
  userId: string,
): Promise<readonly ConsoleSession[]> {
  const now = clock.now();
  const { idleTimeout } = configuration().configuration.session;
  const sessions = await stores.directory.browserSessions(userId, now);
  return sessions.filter(isConsoleSession).filter((session) => !isSessionOver(session, now, idleTimeout));
}

/**
 * Ends one of the person's own sessions, and records it where the person's sign-ins are recorded.
 * @param sessionId the hash that the session is stored by
 * @throws ProblemError `not_found`, also for anybody else's
 */
export async function endOwnSession(
  dependencies: Dependencies,
  actor: Omit<Administrator, "organizationId">,
  sessionId: string,
): Promise<void> {
  const { directory } = dependencies.stores;
  const session = isSecretText(sessionId) ? await directory.getBrowserSession(sessionId) : undefined;
  if (session === undefined || session.userId !== actor.id || !isConsoleSession(session)) throw unknownSession();
  await end(dependencies, actor, sessionId);
}

/** Ends the Console's session of a cookie's value, recorded likewise. Where there is none, there is nothing to do. */
export async function signOut(dependencies: Dependencies, value: string, requestId: string): Promise<void> {
  const session = await resumeConsoleSession(dependencies, value);
  if (session !== undefined) await end(dependencies, { id: session.userId, requestId }, session.sessionHash);
}

async function end(
  dependencies: Dependencies,
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
