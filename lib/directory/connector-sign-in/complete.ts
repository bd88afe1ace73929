import type { Connector } from "../../connectors/connectors.ts";
import { completeSignIn } from "../../connectors/sign-in/complete.ts";
import { ConnectorSignInError } from "../../connectors/sign-in/sign-in-error.ts";
import type { Dependencies, RequestContext } from "../../dependencies.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import { signInPerson } from "../sign-in.ts";
import { attemptOf, refusedSignInRecorder, type SignInRequest } from "../sign-in-audit.ts";
import { acceptThroughConnector } from "./accept.ts";
import { linkAccount } from "./link.ts";
import { findLinkedPerson } from "./linked-person.ts";
import { type BrowserPart, type PendingConnectorSignIn, takePending } from "./pending.ts";
import type { ConnectorProblem } from "./problem.ts";
import { consoleCallbackURL, usableConnectors } from "./usable-connectors.ts";

/** What a connector sent a person back with. */
export interface ConnectorAnswer {
  readonly parameters: URLSearchParams;
  readonly browser: BrowserPart | undefined;
}

/**
 * What happens next: a path of the Console, with the value of the new session's cookie where somebody signed in; or why
 * nothing came of it, for the page that the person comes back to.
 */
export type ConnectorOutcome =
  | { readonly returnTo: string; readonly session?: string }
  | {
      readonly problem: ConnectorProblem;
      readonly returnTo: string;
      /** No sign-in of this browser was answered: one that is under way goes on. */
      readonly answersNone?: true;
    };

/** Where people come back to for whom a sign-in came to nothing. */
export const SIGN_IN_PAGE = "/console/sign-in";

/** The request of the person who comes back. */
export type CallbackRequest = SignInRequest & Pick<RequestContext, "logger" | "waitUntil">;

/**
 * Answers a person whom a connector sent back (RFC 6749 §4.1.2): once for each sign-in, and only in the browser that began
 * it. Who it is decides the account there, issuer and subject; its e-mail address decides nothing (D133). Built once, since
 * it bounds how many refusals are recorded.
 */
export function completeConnectorSignIn(
  dependencies: Dependencies,
  connectors: readonly Connector[],
): (answer: ConnectorAnswer, request: CallbackRequest) => Promise<ConnectorOutcome> {
  const recordRefusal = refusedSignInRecorder(dependencies);
  return async (answer, request) => {
    const pending = await takePending(dependencies, answer.parameters.get("state") ?? undefined, answer.browser);
    if (pending === undefined) return { problem: "expired", returnTo: SIGN_IN_PAGE, answersNone: true };
    const account = await accountOf(dependencies, connectors, { ...answer, pending }, request);
    const result =
      "problem" in account ? account : await continueWith(dependencies, account, { ...answer, pending }, request);
    if (!("problem" in result)) return result;
    const { problem } = result;
    request.logger.info("connector sign-in refused", { connector: pending.connector, problem });
    await recordRefusal(attemptOf("connector", request, pending.connector));
    // Whoever links an account is signed in, and has no use for the page to sign in.
    return { problem, returnTo: pending.intent.kind === "link" ? pending.returnTo : SIGN_IN_PAGE };
  };
}

interface Returned extends ConnectorAnswer {
  readonly pending: PendingConnectorSignIn;
}

/** Who signed in there. */
async function accountOf(
  dependencies: Dependencies,
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
    return await completeSignIn(
      connector,
      metadata,
      {
        ...{ parameters, nonce, state: parameters.get("state") ?? "", claims: LABEL_CLAIMS },
        ...(codeVerifier !== undefined && { codeVerifier }),
        redirectURL: consoleCallbackURL(configuration),
      },
      dependencies,
    );
  } catch (error) {
    if (!(error instanceof ConnectorSignInError)) throw error;
    logger.info("sign-in failed", { connector: pending.connector, reason: error.message });
    return { problem: error.code === "access_denied" ? "denied" : "failed" };
  }
}

async function continueWith(
  dependencies: Dependencies,
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

/** What an account is called, for its person. */
const LABEL_CLAIMS = ["email", "preferred_username", "name"];
