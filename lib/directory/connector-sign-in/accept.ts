import type { Dependencies } from "../../dependencies.ts";
import { sha256base64url } from "../../encoding.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import type { IdentityRecord } from "../../stores/identities.ts";
import type { Acceptance } from "../../stores/invitations.ts";
import { redeemInvitation } from "../accept-invitation.ts";
import { newUserId } from "../first-owner.ts";
import { keepIdentity } from "./link.ts";
import type { BrowserPart, ConnectorIntent } from "./pending.ts";
import type { ConnectorProblem } from "./problem.ts";

export interface AcceptingAccount {
  readonly intent: Extract<ConnectorIntent, { readonly kind: "invitation" }>;
  /** Has the invitation's secret. */
  readonly browser: BrowserPart | undefined;
  /** With whom the account is linked already. */
  readonly known: IdentityRecord | undefined;
}

/**
 * Accepts an invitation as the person of an account: the one that it is linked with, else somebody new with the invitation's
 * address, with whom it is linked from then on.
 */
export async function acceptThroughConnector(
  dependencies: Dependencies,
  account: ConnectorSignIn,
  { intent, browser, known }: AcceptingAccount,
  { requestId }: { readonly requestId: string },
): Promise<{ readonly userId: string } | { readonly problem: ConnectorProblem }> {
  const secret = browser?.invitation;
  if (secret === undefined || sha256base64url(secret) !== intent.secretHash) return { problem: "invitation_gone" };
  const userId = known?.userId ?? newUserId(dependencies);
  const isNew = known === undefined;
  const problem = PROBLEMS[await redeemInvitation(dependencies, secret, { userId, isNew }, requestId)];
  if (problem !== undefined) return { problem };
  // The person exists from here on and comes in, also if the same account was linked elsewhere in this very moment.
  if (isNew && !(await keepIdentity(dependencies, account, { userId, requestId }))) {
    dependencies.logger.warn("an account was linked elsewhere meanwhile", { requestId, connector: account.connector });
  }
  return { userId };
}

/** Whoever belongs to the organization already just signs in. */
const PROBLEMS: Readonly<Record<Acceptance, ConnectorProblem | undefined>> = {
  accepted: undefined,
  member_already: undefined,
  gone: "invitation_gone",
  email_taken: "email_taken",
};
