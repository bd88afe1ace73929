import type { Clock } from "../../kernel/clock.ts";
import { createRateLimit } from "../../kernel/rate-limit.ts";
import { sourceKey } from "../../net/source.ts";
import { languageOfLocales } from "../../pages/language.ts";
import { PageError } from "../../pages/page-error.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import { type AuthorizationParameters, readAuthorizationRequest } from "./authorization-request.ts";
import { refuseAtFirst } from "./authorization-response.ts";
import { proceed } from "./proceed.ts";
import { findTarget } from "./response-target.ts";
import type { BrowserAnswer, SignInContext } from "./sign-in-context.ts";
import { readExpectedPerson } from "./signed-in-person.ts";

/**
 * Answers an authorization request (RFC 6749 §4.1.1).
 *
 * @throws {PageError} client or redirect cannot be trusted, or the connector does not answer
 */
export async function authorize(parameters: AuthorizationParameters, context: SignInContext): Promise<BrowserAnswer> {
  context.browser.language.ask(languageOfLocales(parameters.form.get("ui_locales")));
  const target = await findTarget(parameters.form, context.dependencies);
  try {
    const request = {
      ...readAuthorizationRequest(parameters, target, context.provider),
      ...(await readExpectedPerson(parameters.form, target.client, context.dependencies)),
    };
    return await proceed({ request, isConsented: false, isSignedIn: false }, target.client, context);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return refuseAtFirst(target, error, context);
  }
}

/** Limits how many sign-ins and sign-outs begin. Anybody can send a request, and each is stored for ten minutes (D157). */
interface SignInLimit {
  /**
   * @param parameters the query or form, which is stored
   * @throws {PageError} 429
   */
  admit(source: string | undefined, parameters: string): void;
}

export function createSignInLimit(clock: Clock): SignInLimit {
  const sources = createRateLimit(clock, SOURCE_LIMIT);
  const all = createRateLimit(clock, LIMIT);
  const sourceBytes = createRateLimit(clock, SOURCE_BYTES);
  const allBytes = createRateLimit(clock, BYTES);
  return {
    admit: (source, { length }) => {
      const key = sourceKey(source);
      const bytes = OWN_BYTES + length;
      if (sources.take(key) && sourceBytes.take(key, bytes) && all.take("") && allBytes.take("", bytes)) return;
      throw new PageError(({ errors }) => errors.tooMany, { status: 429 });
    },
  };
}

/** All people of a company may share one address, and many of them sign in at the same time in the morning. */
const SOURCE_LIMIT = { capacity: 1_000, perSecond: 10 };
const LIMIT = { capacity: 5_000, perSecond: 200 };
/** What one stores at least, and what all of them may. A usual request has less than a thousand characters. */
const OWN_BYTES = 600;
const SOURCE_BYTES = { capacity: 1_500_000, perSecond: 20_000 };
const BYTES = { capacity: 12_000_000, perSecond: 50_000 };
