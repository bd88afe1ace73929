import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { INTERACTION_LIFETIME } from "../../lib/authorization-server/authorize/interaction.ts";
import type {
  BrowserAnswer,
  BrowserContext,
  SignInContext,
} from "../../lib/authorization-server/authorize/sign-in-context.ts";
import { oidcProviderOf } from "../../lib/authorization-server/oidc-provider.ts";
import { signInEndpoints } from "../../lib/config/endpoints.ts";
import type { Connector } from "../../lib/connectors/connectors.ts";
import { PageError } from "../../lib/pages/page-error.ts";
import type { AppSignInContext } from "../../lib/web-apps/attempt-checks.ts";
import type { Env, Handler } from "../env.ts";
import { answerMethodNotAllowed, answerPage } from "./errors.ts";
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from "./session-cookie.ts";

/** An endpoint for people's browsers, which also needs what is known of the connectors. */
export type SignInEndpoint = (dependencies: Dependencies, connectors: readonly Connector[]) => Handler;

/** Errors of these paths are pages. The router takes HEAD for GET, which would begin sign-ins that nobody sees. */
export const forBrowsers = (methods: readonly string[]) =>
  createMiddleware<Env>(async (c, next) => {
    c.set("answersPages", true);
    if (methods.includes(c.req.raw.method)) await next();
    else c.res = answerMethodNotAllowed(c, methods);
  });

/** What the steps of a client's sign-in work with, for this request. */
export function signInContext(
  c: Context<Env>,
  dependencies: Dependencies,
  connectors: readonly Connector[],
): SignInContext {
  const { configuration } = dependencies.configuration();
  return { ...browserContext(c, dependencies, connectors), provider: oidcProviderOf(configuration) };
}

/** The same for web apps. */
export function appSignInContext(
  c: Context<Env>,
  dependencies: Dependencies,
  connectors: readonly Connector[],
): AppSignInContext {
  const { hostname } = new URL(c.req.url);
  return { ...browserContext(c, dependencies, connectors), dependencies, cookies: getCookie(c), hostname };
}

/** The same for whoever needs no authorization server. */
export function browserContext(
  c: Context<Env>,
  dependencies: Dependencies,
  connectors: readonly Connector[],
): BrowserContext {
  const { configuration } = dependencies.configuration();
  return {
    dependencies,
    connectors,
    endpoints: signInEndpoints(configuration),
    request: c.get("request"),
    browser: {
      session: readSessionCookie(c, configuration),
      binding: getCookie(c)[BINDING_COOKIE],
      language: {
        asked: () => c.get("language"),
        ask: (language) => {
          if (language !== undefined) c.set("language", language);
        },
      },
    },
  };
}

/** The answer with its cookies: a page, or 303, by which a form is not sent on (RFC 9700 §4.12). */
export function answerBrowser(c: Context<Env>, { dependencies }: BrowserContext, answer: BrowserAnswer): Response {
  const { configuration } = dependencies.configuration();
  if (answer.session === null) clearSessionCookie(c, configuration);
  else if (answer.session !== undefined) writeSessionCookie(c, configuration, answer.session);
  if (answer.binding !== undefined) {
    c.header("Set-Cookie", `${BINDING_COOKIE}=${answer.binding}; ${BINDING_ATTRIBUTES}`, { append: true });
  }
  for (const cookie of answer.cookies ?? []) c.header("Set-Cookie", cookie, { append: true });
  if ("page" in answer) return answerPage(c, answer.page);
  c.header("Cache-Control", "no-store");
  return c.body(null, 303, { Location: answer.redirect });
}

/**
 * Refuses a form that another site's page sent.
 *
 * @throws {PageError}
 */
export function refuseForeignForm(c: Context<Env>, { endpoints }: Pick<BrowserContext, "endpoints">): void {
  const origin = c.req.header("Origin");
  const site = c.req.header("Sec-Fetch-Site");
  if (origin !== undefined && origin !== endpoints.origin) throw foreignForm("Origin");
  if (site !== undefined && site !== "same-origin") throw foreignForm("Sec-Fetch-Site");
}

function foreignForm(header: string): PageError {
  return new PageError(({ errors }) => errors.foreignForm, { status: 403, detail: `foreign ${header}` });
}

/** `__Host-`: no other host, of this domain or below, can set it (RFC 6265bis §4.1.3.2). */
const BINDING_COOKIE = "__Host-countersign-sign-in";
const BINDING_ATTRIBUTES = `Max-Age=${INTERACTION_LIFETIME / 1000}; Path=/; Secure; HttpOnly; SameSite=Lax`;
