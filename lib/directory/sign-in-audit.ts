import { auditEvent, named } from "../audit/event.ts";
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
  attempt: SignInAttempt,
  userId: string,
  reason?: "recovered",
): Promise<void> {
  const { directory } = dependencies.stores;
  const [memberships, person] = await Promise.all([directory.memberships(userId), directory.getPerson(userId)]);
  const names = named([userId, person?.email]);
  await Promise.all(
    memberships.map(({ organizationId }) =>
      recordSignInOf(dependencies, attempt, userId, {
        organizationId,
        ...names,
        ...(reason !== undefined && { reason }),
      }),
    ),
  );
}

/** Records that a person signed in, in the organization of the client or web app that it was for. */
export async function recordSignInOf(
  dependencies: DirectoryPorts,
  { method, connector, app, requestId }: SignInAttempt,
  userId: string,
  { organizationId, ...told }: SignInPurpose,
): Promise<void> {
  await dependencies.stores.auditLog.append(
    auditEvent(dependencies, {
      type: "sign_in.succeeded",
      outcome: "success",
      ...(organizationId !== undefined && { organizationId }),
      actor: userId,
      user: userId,
      ...(app !== undefined && { app }),
      ...told,
      requestId,
      details: { method, ...(connector !== undefined && { connector }) },
    }),
  );
}

/** What a sign-in was for. */
interface SignInPurpose {
  /** Whose record it is; undefined: the instance's. */
  readonly organizationId: string | undefined;
  /** The client's id. */
  readonly agent?: string;
  readonly reason?: "recovered";
  readonly names?: Readonly<Record<string, string>>;
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
