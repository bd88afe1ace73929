import { sha256base64url } from "#sha256";
import { ConnectorSignInError, completeSignIn } from "../../connectors/complete-sign-in.ts";
import type { Connector } from "../../connectors/connectors.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import type { IdentityRecord } from "../../stores/identities.ts";
import type { Acceptance } from "../../stores/invitations.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
import { redeemInvitation } from "../accept-invitation.ts";
import { newUserId } from "../person.ts";
import type { DirectoryPorts } from "../ports.ts";
import { signInPerson } from "../sign-in.ts";
import { attemptOf, recordRefusedSignIn, type SignInRequest } from "../sign-in-audit.ts";
import { consoleCallbackURL, usableConnectors } from "./begin.ts";
import { findLinkedPerson, linkAccount, saveIdentity } from "./linked-accounts.ts";
import {
  type BrowserPart,
  type ConnectorIntent,
  type ConnectorProblem,
  type PendingConnectorSignIn,
  takePending,
} from "./pending.ts";

/** The answer of a connector. */
export interface ConnectorAnswer {
  readonly parameters: URLSearchParams;
  readonly browser: BrowserPart | undefined;
}

/**
 * The result: a path of the Console, with the value of the new session's cookie if somebody signed in; or the problem, for the
 * page to which the person returns.
 */
export type ConnectorOutcome =
  | { readonly returnTo: string; readonly session?: string }
  | {
      readonly problem: ConnectorProblem;
      readonly returnTo: string;
      /** The answer belongs to no sign-in of this browser. A sign-in that has begun stays open. */
      readonly answersNone?: true;
    };

/** The page to which people return after a failed sign-in. */
export const SIGN_IN_PAGE = "/console/sign-in";

/** The request of the person who comes back. */
export type CallbackRequest = SignInRequest & Pick<RequestContext, "logger" | "waitUntil">;

/**
 * Answers a person whom a connector sent back (RFC 6749 §4.1.2): once for each sign-in, and only in the browser that began
 * it. Issuer and subject of the account identify the person; the e-mail address does not (D133).
 */
export function completeConnectorSignIn(
  dependencies: DirectoryPorts,
  connectors: readonly Connector[],
): (answer: ConnectorAnswer, request: CallbackRequest) => Promise<ConnectorOutcome> {
  return async (answer, request) => {
    const pending = await takePending(dependencies, answer.parameters.get("state") ?? undefined, answer.browser);
    if (pending === undefined) return { problem: "expired", returnTo: SIGN_IN_PAGE, answersNone: true };
    const account = await accountOf(dependencies, connectors, { ...answer, pending }, request);
    const result =
      "problem" in account ? account : await continueWith(dependencies, account, { ...answer, pending }, request);
    if (!("problem" in result)) return result;
    const { problem } = result;
    request.logger.info("connector sign-in refused", { connector: pending.connector, problem });
    await recordRefusedSignIn(dependencies, attemptOf("connector", request, pending.connector));
    // A person who links an account is signed in already and does not need the sign-in page.
    return { problem, returnTo: pending.intent.kind === "link" ? pending.returnTo : SIGN_IN_PAGE };
  };
}

interface Returned extends ConnectorAnswer {
  readonly pending: PendingConnectorSignIn;
}

/** The account that signed in at the connector. */
async function accountOf(
  dependencies: DirectoryPorts,
  connectors: readonly Connector[],
  { parameters, pending }: Returned,
  { logger, waitUntil }: CallbackRequest,
): Promise<ConnectorSignIn | { readonly problem: ConnectorProblem }> {
  const { configuration } = dependencies.configuration();
  const usable = usableConnectors(connectors, configuration);
  const connector = usable.find(({ settings }) => settings.name === pending.connector);
  const metadata = await connector?.metadata.get(waitUntil);
  if (connector === undefined || metadata === undefined) return { problem: "failed" };
  const { nonce, codeVerifier } = pending;
  try {
    const { signIn } = await completeSignIn(
      connector,
      metadata,
      {
        ...{ parameters, nonce, state: parameters.get("state") ?? "", claims: LABEL_CLAIMS },
        ...(codeVerifier !== undefined && { codeVerifier }),
        redirectURL: consoleCallbackURL(configuration),
      },
      dependencies,
    );
    return signIn;
  } catch (error) {
    if (!(error instanceof ConnectorSignInError)) throw error;
    logger.info("sign-in failed", { connector: pending.connector, reason: error.message });
    return { problem: error.code === "access_denied" ? "denied" : "failed" };
  }
}

async function continueWith(
  dependencies: DirectoryPorts,
  account: ConnectorSignIn,
  { pending, browser }: Returned,
  request: CallbackRequest,
): Promise<Exclude<ConnectorOutcome, { readonly problem: unknown }> | { readonly problem: ConnectorProblem }> {
  const { intent, returnTo } = pending;
  if (intent.kind === "link") {
    const problem = await linkAccount(dependencies, account, intent, request);
    return problem === undefined ? { returnTo } : { problem };
  }
  const known = await findLinkedPerson(dependencies, account);
  const person =
    intent.kind === "invitation"
      ? await acceptThroughConnector(dependencies, account, { intent, browser, known }, request)
      : (known ?? { problem: "unknown_account" as const });
  if ("problem" in person) return person;
  const attempt = attemptOf("connector", request, account.connector);
  const { session } = await signInPerson(dependencies, person.userId, attempt, request);
  return { returnTo, session };
}

interface AcceptingAccount {
  readonly intent: Extract<ConnectorIntent, { readonly kind: "invitation" }>;
  /** Has the invitation's secret. */
  readonly browser: BrowserPart | undefined;
  /** The person with whom the account is linked already. */
  readonly known: IdentityRecord | undefined;
}

/**
 * Accepts an invitation as the person of an account. If the account is not linked, a new person with the invitation's address
 * is created and linked.
 */
async function acceptThroughConnector(
  dependencies: DirectoryPorts,
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
  // The person exists now and is signed in, even if the same account was linked with somebody else at this moment.
  if (isNew && !(await saveIdentity(dependencies, account, { userId, requestId }))) {
    dependencies.logger.warn("an account was linked elsewhere meanwhile", { requestId, connector: account.connector });
  }
  return { userId };
}

/** A person who is a member already just signs in. */
const PROBLEMS: Readonly<Record<Acceptance, ConnectorProblem | undefined>> = {
  accepted: undefined,
  member_already: undefined,
  gone: "invitation_gone",
};

/** Claims with a name of the account, for its person. */
const LABEL_CLAIMS = ["email", "preferred_username", "name"];
