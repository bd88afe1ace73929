import { auditEvent } from "../audit/event.ts";
import type { SignInMethod } from "../stores/directory.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import type { DirectoryPorts } from "./ports.ts";

/** The request that asks to sign somebody in. */
export interface SignInRequest extends Pick<RequestContext, "requestId" | "remoteAddress"> {
  /** The value of the Console's session cookie that the browser came with; that session ends. */
  readonly formerSession: string | undefined;
  readonly userAgent: string | undefined;
}

export interface SignInAttempt {
  readonly method: SignInMethod;
  /** With `connector`: its name. */
  readonly connector?: string;
  /** The web app that it was for. */
  readonly app?: string;
  readonly requestId: string;
}

/** @param connector its name, with the method `connector` */
export function attemptOf(
  method: SignInMethod,
  { requestId }: Pick<SignInRequest, "requestId">,
  connector?: string,
): SignInAttempt {
  return { method, requestId, ...(connector !== undefined && { connector }) };
}

/** Records that a person signed in, in each organization the person belongs to. */
export async function recordSignIn(
  dependencies: DirectoryPorts,
  { method, connector, requestId }: SignInAttempt,
  userId: string,
  reason?: "recovered",
): Promise<void> {
  const { directory, auditLog } = dependencies.stores;
  const memberships = await directory.memberships(userId);
  await Promise.all(
    memberships.map(({ organizationId }) =>
      auditLog.append(
        auditEvent(dependencies, {
          type: "sign_in.succeeded",
          outcome: "success",
          organizationId,
          actor: userId,
          user: userId,
          ...(reason !== undefined && { reason }),
          requestId,
          details: { method, ...(connector !== undefined && { connector }) },
        }),
      ),
    ),
  );
}

/**
 * Records a refused attempt. The person is unknown, so the record belongs to the instance (D32). Anybody can cause it: all but
 * the first of a kind are only counted (D157).
 */
export async function recordRefusedSignIn(
  dependencies: DirectoryPorts,
  { method, connector, app, requestId }: SignInAttempt,
): Promise<void> {
  await dependencies.refusals.record(
    auditEvent(dependencies, {
      type: "sign_in.refused",
      outcome: "refused",
      reason: REASONS[method],
      ...(app !== undefined && { app }),
      requestId,
      details: { method, ...(connector !== undefined && { connector }) },
    }),
  );
}

const REASONS: Readonly<Record<SignInMethod, string>> = {
  link: "link unknown, used or expired",
  setup: "setup refused",
  passkey: "passkey unknown or refused",
  connector: "the connector brought nobody",
  invitation: "invitation unknown, used, revoked or expired",
};
