import {
  type Answer,
  type AssertionOverrides,
  answerOf,
  type Owner,
  type Parameters,
  postForm,
  requestToken,
  type Signer,
  tokenEndpointOf,
  tokenParameters,
} from "../behaviour/fixture.ts";
import type { RunningRegion } from "../support/runtime.ts";

/** What the tests of the numbered items share. Filled in before the first test runs; read it inside tests only. */
export interface SecurityContext {
  readonly us: RunningRegion;
  readonly uk: RunningRegion;
  readonly owner: Owner;
  readonly signer: Signer;
}

/** The token endpoint's answer to a correct request, except for the overrides. */
export function tokenAnswer(
  { us, signer }: SecurityContext,
  overrides?: AssertionOverrides & { readonly parameters?: Parameters },
): Promise<Answer> {
  return answerOf(requestToken(us, signer, overrides));
}

/** The token endpoint's answer to this very assertion. */
export function assertionAnswer({ us }: SecurityContext, assertion: string, more?: Parameters): Promise<Answer> {
  return answerOf(postForm(tokenEndpointOf(us), tokenParameters(assertion, more)));
}

/** What an answer must be when an assertion is refused. */
export function refusal(description: string): Pick<Answer, "status" | "body"> {
  return { status: 400, body: { error: "invalid_client", error_description: description } };
}
