import type { AppAttempt } from "../authorization-server/authorize/interaction.ts";
import type { BrowserAnswer, BrowserContext } from "../authorization-server/authorize/sign-in-context.ts";
import type { AuthorizationServerPorts } from "../authorization-server/ports.ts";
import type { WebAppConfiguration } from "../config/web-app-configuration.ts";
import { isSignInHost } from "../directory/host-sessions.ts";
import { PageError } from "../pages/page-error.ts";
import type { StateSecretPorts } from "../upstream/request-state/sealed-state.ts";
import { appOf, type Cookies, forgottenAttempt, isOwnAttempt } from "./attempt.ts";

/** What the steps of a sign-in for a web app work with. */
export interface AppSignInContext extends BrowserContext {
  readonly dependencies: AuthorizationServerPorts & StateSecretPorts;
  readonly cookies: Cookies;
  /** Of the request, without a port. */
  readonly hostname: string;
}

/** Whether an app has the host on which people sign in: their session's own cookie reaches it. */
export function isOurs({ origin }: Pick<AppAttempt, "origin">, { dependencies }: AppSignInContext): boolean {
  return isSignInHost(new URL(origin).hostname, dependencies);
}

/** Checks on our host what the app's host checks where that is another one (login CSRF). @throws {PageError} 403 */
export function requireOwn(attempt: AppAttempt, context: AppSignInContext): void {
  if (!isOurs(attempt, context) || isOwnAttempt(attempt, context.cookies)) return;
  throw new PageError(({ errors }) => errors.otherBrowser, {
    status: 403,
    detail: "the attempt's cookie is missing or another one",
  });
}

/** The app of an attempt is reached at the same place as when that began. @throws {PageError} */
export function requireApp(
  attempt: Pick<AppAttempt, "app" | "origin">,
  { dependencies }: AppSignInContext,
): WebAppConfiguration {
  const app = appOf(attempt, dependencies.configuration().configuration);
  if (app !== undefined) return app;
  throw attemptOver("the app is gone, or is reached elsewhere");
}

/** The request came to the host of the attempt's app. @throws {PageError} */
export function requireHost({ origin }: Pick<AppAttempt, "origin">, { hostname }: AppSignInContext): void {
  if (new URL(origin).hostname !== hostname) throw attemptOver("of another host");
}

/** Back to what was asked for. */
export function toApp(attempt: AppAttempt): BrowserAnswer {
  return { redirect: placeOf(attempt), cookies: [forgottenAttempt(attempt)] };
}

/** What was asked for. Its path begins with a slash, so it cannot leave the app's origin. */
export function placeOf({ origin, returnTo }: Pick<AppAttempt, "origin" | "returnTo">): string {
  return origin + (returnTo.startsWith("/") ? returnTo : "/");
}

export function attemptOver(detail: string): PageError {
  return new PageError(({ errors }) => errors.attemptOver, { detail });
}
