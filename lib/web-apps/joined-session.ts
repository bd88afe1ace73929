import type { AppAttempt } from "../authorization-server/authorize/interaction.ts";
import { isOfCurrentIssuer } from "../authorization-server/authorize/signed-in-person.ts";
import { organizationOf } from "../authorization-server/clients/find-client.ts";
import {
  type ApplicationSession,
  type ApplicationSignIn,
  resumeBrowserSession,
  signInsOf,
} from "../directory/browser-sessions.ts";
import { utf8 } from "../kernel/encoding.ts";
import { type AppSignInContext, requireApp } from "./attempt-checks.ts";
import { stopAtApp } from "./stop-at-app.ts";

/** What a session goes on with that holds a further sign-in. */
export interface JoinedSession extends ApplicationSignIn {
  readonly former: ApplicationSession;
}

/**
 * What the browser's session knows, with one more sign-in (D208). It is for a record of its own: whoever planted the former
 * one's cookie in this browser does not have that. Undefined where the sign-in stands alone: there is no live session, the
 * person wants to be somebody else, the connector is among those of the session, which is a new beginning, another connector of
 * it is gone or has another provider now, and where a stop holds for what the two would be together. The same
 * while a request renews the former session's claims.
 */
export async function joinedSession(
  { signIn, renewals }: Required<Pick<ApplicationSignIn, "signIn" | "renewals">>,
  attempt: AppAttempt,
  context: AppSignInContext,
): Promise<JoinedSession | undefined> {
  const { dependencies, browser } = context;
  if (browser.session === undefined || attempt.isAnother === true) return undefined;
  const former = await resumeBrowserSession(dependencies, browser.session);
  if (former === undefined) return undefined;
  const known = signInsOf(former);
  if (known.some(({ connector }) => connector === signIn.connector)) return undefined;
  const { connectors } = dependencies.configuration().configuration;
  if (!known.every((one) => isOfCurrentIssuer(one, connectors))) return undefined;
  const joined = {
    ...{ signIn: former.signIn, further: [...known.slice(1), signIn], former },
    renewals: { tokens: { ...former.renewals?.tokens, ...renewals.tokens } },
  };
  if (utf8(JSON.stringify(joined)).length > MAX_BYTES) return undefined;
  const { userId, createdAt } = former;
  const app = requireApp(attempt, context);
  const owner = { organizationId: await organizationOf(app, dependencies), isOfAll: app.organization === undefined };
  const stop = await stopAtApp(dependencies, { ...joined, userId, createdAt }, owner);
  return stop === undefined && (await endRenewing(former, context)) ? joined : undefined;
}

/**
 * From here on the former record renews nothing: a refresh token that changes there would be lost here. False: a request is just
 * doing it.
 */
async function endRenewing(
  { sessionHash, renewals, revision = 0, expiresAt }: ApplicationSession,
  { dependencies: { stores, clock } }: AppSignInContext,
): Promise<boolean> {
  if (renewals === undefined) return true;
  const { tokens, leasedUntil = 0 } = renewals;
  if (leasedUntil > clock.now()) return false;
  return stores.directory.renewSignIns(sessionHash, revision, { renewals: { tokens, leasedUntil: expiresAt } });
}

/** An item of DynamoDB has at most 400 KB. */
const MAX_BYTES = 256 * 1024;
