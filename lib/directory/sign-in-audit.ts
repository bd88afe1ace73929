import { auditEvent } from "../audit/event.ts";
import { createRateLimit } from "../kernel/rate-limit.ts";
import { sourceKey } from "../net/source.ts";
import type { SignInMethod } from "../stores/directory.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import type { DirectoryPorts } from "./ports.ts";

/** Limits of the records that one address causes, and of those that all addresses cause with one sign-in method. */
const SOURCE_LIMIT = { capacity: 10, perSecond: 1 };
const METHOD_LIMIT = { capacity: 60, perSecond: 5 };

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
  readonly requestId: string;
  /** The peer's address as far as it is known. */
  readonly source: string | undefined;
}

/** @param connector its name, with the method `connector` */
export function attemptOf(
  method: SignInMethod,
  { requestId, remoteAddress }: Pick<SignInRequest, "requestId" | "remoteAddress">,
  connector?: string,
): SignInAttempt {
  return { method, requestId, source: remoteAddress, ...(connector !== undefined && { connector }) };
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
 * Records refused attempts. The person is unknown, so the records belong to the instance (D32). Anybody can cause them, so their
 * number is limited. Attempts beyond the limit appear in the log only.
 */
export function refusedSignInRecorder(dependencies: DirectoryPorts): (attempt: SignInAttempt) => Promise<void> {
  const sources = createRateLimit(dependencies.clock, SOURCE_LIMIT);
  const methods = createRateLimit(dependencies.clock, METHOD_LIMIT);
  return async ({ method, connector, requestId, source }) => {
    if (!sources.take(sourceKey(source)) || !methods.take(method)) return;
    await dependencies.stores.auditLog.append(
      auditEvent(dependencies, {
        type: "sign_in.refused",
        outcome: "refused",
        reason: REASONS[method],
        requestId,
        details: { method, ...(connector !== undefined && { connector }) },
      }),
    );
  };
}

const REASONS: Readonly<Record<SignInMethod, string>> = {
  link: "link unknown, used or expired",
  setup: "setup refused",
  passkey: "passkey unknown or refused",
  connector: "the connector brought nobody",
  invitation: "invitation unknown, used, revoked or expired",
};
