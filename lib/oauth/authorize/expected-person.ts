import type { Dependencies } from "../../dependencies.ts";
import type { OAuthClient } from "../clients/client.ts";
import { OAuthError } from "../errors.ts";
import type { Form } from "../form.ts";
import { readIdTokenHint } from "../openid/id-token-hint.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

type Expecting = Pick<AuthorizationRequest, "expectedUserId">;

/**
 * The person of `id_token_hint`; nothing else of the token is kept.
 *
 * @throws {OAuthError} `invalid_request` unless it is an ID token that was issued here to this client
 */
export async function readExpectedPerson(
  form: Form,
  { clientId }: Pick<OAuthClient, "clientId">,
  dependencies: Dependencies,
): Promise<Expecting> {
  const text = form.get("id_token_hint");
  if (text === undefined) return {};
  const hint = await readIdTokenHint(text, dependencies);
  if (hint?.clientId === clientId) return { expectedUserId: hint.userId };
  throw new OAuthError("invalid_request", { description: "id_token_hint is not an ID token of the client's" });
}

/** Whether a request is about this person, as far as it says (OpenID Connect Core 1.0 §3.1.2.1). */
export function isExpected(userId: string, { expectedUserId }: Expecting): boolean {
  return expectedUserId === undefined || expectedUserId === userId;
}

/** The client learns that it is not the person it knows, and nobody learns who that or the other one is. */
export function notExpected(): OAuthError {
  return new OAuthError("login_required", { description: "the person of the ID token did not sign in" });
}
