import { type AuditEventPorts, auditEvent } from "../audit/event.ts";
import type { AuditLog } from "../stores/audit-log.ts";
import { type ApplicationSession, signInsOf } from "./browser-sessions.ts";
import { type EndingPorts, endKnownSession } from "./known-sessions.ts";

export interface SignOutPorts extends AuditEventPorts {
  readonly knownSessions: EndingPorts["knownSessions"];
  readonly stores: EndingPorts["stores"] & { readonly auditLog: Pick<AuditLog, "append"> };
}

/** Where somebody signed out. */
export interface SignedOutAt {
  readonly requestId: string;
  /** Owner of the record; absent: the instance. */
  readonly organizationId?: string | undefined;
  /** Name of the web app whose logout path was asked for. */
  readonly app?: string;
}

/** Ends the session of a person who signs out, and records it. */
export async function endSignedOut(
  session: Pick<ApplicationSession, "sessionHash" | "userId" | "signIn" | "further">,
  { requestId, organizationId, app }: SignedOutAt,
  ports: SignOutPorts,
): Promise<void> {
  await endKnownSession(ports, session.sessionHash);
  const { userId } = session;
  await ports.stores.auditLog.append(
    auditEvent(ports, {
      type: "web_session.ended",
      outcome: "success",
      reason: "signed_out",
      ...(organizationId !== undefined && { organizationId }),
      ...{ actor: userId, user: userId, requestId },
      ...(app !== undefined && { app }),
      details: {
        connector: signInsOf(session)
          .map(({ connector }) => connector)
          .join(", "),
      },
    }),
  );
}
