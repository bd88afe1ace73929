import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ProblemError, problemDetails } from "../../lib/kernel/problem.ts";
import { stackOf } from "../../lib/logging/cause.ts";
import { type Language, languageOfHeader } from "../../lib/pages/language.ts";
import { type Page, renderPage } from "../../lib/pages/page.ts";
import { type ErrorTextIn, errorPage, PageError } from "../../lib/pages/page-error.ts";
import { IncompleteBodyError } from "../../lib/protocol/http/read-body.ts";
import { OAuthError, oauthErrorBody } from "../../lib/protocol/oauth/errors.ts";
import { StoreUnavailableError } from "../../lib/stores/unavailable.ts";
import type { Env } from "../env.ts";

/**
 * The only place that turns an error into an answer. What is neither an OAuth error nor a problem is a defect: logged
 * with its stack, answered without details.
 */
export function answerError(error: unknown, c: Context<Env>): Response {
  if (error instanceof PageError) return answerPageError(error, c);
  if (error instanceof OAuthError) return answerOAuthError(error, c);
  if (error instanceof ProblemError) return answerProblem(error, c);
  if (error instanceof IncompleteBodyError) return answerIncompleteBody(error, c);
  if (error instanceof StoreUnavailableError) return answerStoreUnavailable(error, c);
  c.get("request").logger.error("request failed", { error: stackOf(error) });
  return answerProblem(new ProblemError("internal", "The request could not be completed."), c);
}

export function answerPage(c: Context<Env>, page: Page): Response {
  const { html, status, headers } = renderPage(page, languageOf(c), c.get("branding"));
  return c.body(html, status as ContentfulStatusCode, headers);
}

/** That the flow of the request asked for, else the one that the browser prefers. */
function languageOf(c: Context<Env>): Language {
  return c.get("language") ?? languageOfHeader(c.req.header("Accept-Language"));
}

/** Only what is an `Error` reaches `answerError`: whatever else is thrown becomes the cause of one. */
export const onlyErrors = createMiddleware<Env>(async (_, next) => {
  try {
    await next();
  } catch (thrown) {
    throw thrown instanceof Error ? thrown : new Error("What was thrown is no error.", { cause: thrown });
  }
});

/** Mostly nobody is left to read it; it is the sender's doing, and no defect that the log should show as one. */
function answerIncompleteBody({ message }: IncompleteBodyError, c: Context<Env>): Response {
  c.get("request").logger.info("request refused", { detail: message });
  return answerProblem(new ProblemError("invalid_body", message), c);
}

/** Goes away by itself. OAuth endpoints answer alike: RFC 6749 §5.2 has no code for it, and clients go by the status. */
function answerStoreUnavailable({ message }: StoreUnavailableError, c: Context<Env>): Response {
  c.get("request").logger.warn("store not available", { cause: message });
  return answerProblem(new ProblemError("unavailable", "The request could not be completed for now. Try again."), c, 1);
}

/** A path that is served, but not for this method (RFC 9110 §15.5.6). */
export function answerMethodNotAllowed(c: Context<Env>, allowed: readonly string[]): Response {
  c.header("Allow", allowed.join(", "));
  return answerProblem(new ProblemError("method_not_allowed", `This path accepts ${allowed.join(", ")}.`), c);
}

/** Paths that no endpoint serves. */
export function answerNotFound(c: Context<Env>): Response {
  return answerProblem(new ProblemError("not_found", "Nothing is served at this path."), c);
}

function answerPageError(error: PageError, c: Context<Env>): Response {
  const { requestId, logger } = c.get("request");
  logger.info("page of an error", { title: error.title, detail: error.detail });
  return answerPage(c, errorPage(error.text, error.status, requestId));
}

function answerOAuthError(error: OAuthError, c: Context<Env>): Response {
  const { logger } = c.get("request");
  logger.info("oauth request refused", { error: error.code, description: error.description, detail: error.detail });
  if (error.challenge !== undefined) c.header("WWW-Authenticate", error.challenge);
  if (error.retryAfter !== undefined) c.header("Retry-After", String(error.retryAfter));
  c.header("Pragma", "no-cache");
  if (c.get("answersPages")) return answerAsPage(c, error.status, ({ errors }) => errors.oauth(error.description));
  return answer(c, error.status, "application/json", oauthErrorBody(error));
}

/** @param retryAfter seconds after which what is `unavailable` may be there, where who refused has not said it */
function answerProblem(problem: ProblemError, c: Context<Env>, retryAfter = 60): Response {
  const isTold = c.res.headers.get("Retry-After") !== null;
  if (problem.code === "too_many_requests" && !isTold) c.header("Retry-After", "5");
  if (problem.code === "unavailable" && !isTold) c.header("Retry-After", String(retryAfter));
  const { code, message } = problem;
  if (c.get("answersPages")) return answerAsPage(c, problem.status, ({ errors }) => errors.problem(code, message));
  const body = problemDetails(problem, c.get("request").requestId);
  return answer(c, problem.status, "application/problem+json", body);
}

/** For those who see an answer in a browser. */
function answerAsPage(c: Context<Env>, status: number, text: ErrorTextIn): Response {
  return answerPage(c, errorPage(text, status, c.get("request").requestId));
}

function answer(
  c: Context<Env>,
  status: OAuthError["status"] | ProblemError["status"],
  contentType: string,
  body: object,
): Response {
  c.header("Cache-Control", "no-store");
  return c.body(JSON.stringify(body), status, { "Content-Type": contentType });
}
