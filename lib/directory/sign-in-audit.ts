import { createRereadBudget } from "../api-clients/reread-budget.ts";
import { auditEvent } from "../audit/event.ts";
import type { Dependencies } from "../dependencies.ts";

export interface SignInAttempt {
  readonly method: "link" | "setup";
  readonly requestId: string;
  /** The peer's address as far as it is known. */
  readonly source: string | undefined;
}

/** Records that a person signed in, in each organization the person belongs to. */
export async function recordSignIn(dependencies: Dependencies, attempt: SignInAttempt, userId: string): Promise<void> {
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
          requestId: attempt.requestId,
          details: { method: attempt.method },
        }),
      ),
    ),
  );
}

/**
 * Records refused attempts. Nobody is known then, so the records belong to the instance (D32), and since anyone can
 * cause them, their number is bounded: what is beyond is in the log only.
 */
export function refusedSignInRecorder(dependencies: Dependencies): (attempt: SignInAttempt) => Promise<void> {
  const budget = createRereadBudget(dependencies.clock);
  return async ({ method, requestId, source }) => {
    if (!budget.allow(method, source)) return;
    await dependencies.stores.auditLog.append(
      auditEvent(dependencies, {
        type: "sign_in.refused",
        outcome: "refused",
        reason: method === "link" ? "link unknown, used or expired" : "setup refused",
        requestId,
        details: { method },
      }),
    );
  };
}
