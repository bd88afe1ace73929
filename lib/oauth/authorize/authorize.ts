import { OAuthError } from "../errors.ts";
import type { BrowserAnswer, SignInContext } from "./context.ts";
import { readExpectedPerson } from "./expected-person.ts";
import type { AuthorizationParameters } from "./parameters.ts";
import { proceed } from "./proceed.ts";
import { readAuthorizationRequest } from "./read-request.ts";
import { refuseAtFirst } from "./refuse.ts";
import { findTarget } from "./target.ts";

/**
 * Answers an authorization request (RFC 6749 §4.1.1).
 *
 * @throws {PageError} client or redirect cannot be trusted, or the connector does not answer
 */
export async function authorize(parameters: AuthorizationParameters, context: SignInContext): Promise<BrowserAnswer> {
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
