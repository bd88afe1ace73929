import { findInteraction, finishInteraction } from "../authorization-server/authorize/interaction.ts";
import type { BrowserAnswer } from "../authorization-server/authorize/sign-in-context.ts";
import type { Form } from "../authorization-server/form.ts";
import { INTERACTION } from "../config/endpoints.ts";
import { hostSessionValue } from "../directory/host-sessions.ts";
import { circlePage } from "./ask-to-sign-in.ts";
import { ATTEMPT_PARAMETER, attemptBinding, beginAttempt, openLogin } from "./attempt.ts";
import { type AppSignInContext, attemptOver, requireApp, requireHost, toApp } from "./attempt-checks.ts";

/**
 * On the app's host: begins the sign-in of an address that a script or a form was told (`loginURL`).
 *
 * @throws {PageError} it is no such address, or another host's
 */
export async function beginLogin(form: Form, context: AppSignInContext): Promise<BrowserAnswer> {
  const { dependencies, cookies, request } = context;
  const asked = await openLogin(form.get(ATTEMPT_PARAMETER) ?? "", dependencies);
  if (asked === undefined) throw attemptOver("no sealed login, or an old one");
  requireHost(asked, context);
  requireApp(asked, context);
  const begun = await beginAttempt(asked, cookies, dependencies);
  if (begun === undefined) return { page: circlePage(request) };
  return { redirect: begun.location, cookies: begun.cookies };
}

/**
 * On the host of an app that has one of its own: takes the session over, once, in the browser that asked there.
 *
 * @throws {PageError}
 */
export async function takeOver(form: Form, context: AppSignInContext): Promise<BrowserAnswer> {
  const { dependencies, cookies, hostname } = context;
  const browser = { ...context.browser, binding: attemptBinding(form.get(ATTEMPT_PARAMETER) ?? "", cookies) };
  const found = await findInteraction(form.get(INTERACTION), ["app_hand_over"], browser, dependencies);
  const { attempt, sessionHash } = found.interaction;
  requireHost(attempt, context);
  requireApp(attempt, context);
  await finishInteraction(found, dependencies);
  return { ...toApp(attempt), session: await hostSessionValue(sessionHash, hostname, dependencies) };
}
