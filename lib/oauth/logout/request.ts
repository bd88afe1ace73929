import type { Dependencies } from "../../dependencies.ts";
import { PageError } from "../../pages/page-error.ts";
import type { OAuthClient } from "../clients/client.ts";
import { findClient } from "../clients/find-client.ts";
import { isLoopbackRedirect, isRegisteredRedirect } from "../clients/redirect-url.ts";
import type { Form } from "../form.ts";
import { type IdTokenHint, readIdTokenHint } from "../openid/id-token-hint.ts";

/** A request to sign somebody out, checked (OpenID Connect RP-Initiated Logout 1.0 §2). */
export interface SignOutRequest {
  /** The person whose ID token the client showed. */
  readonly userId?: string;
  /** Complete with `state`. */
  readonly returnTo?: string;
  /** Anybody can register a client that leads there. */
  readonly isAnybodys: boolean;
}

/** @throws {PageError} an ID token that is not ours, or an address that is not the client's */
export async function readSignOutRequest(form: Form, dependencies: Dependencies): Promise<SignOutRequest> {
  const hint = await readHint(form.get("id_token_hint"), dependencies);
  const client = await clientOf(form.get("client_id"), hint, dependencies);
  const returnTo = readReturn(form, client);
  return {
    ...(hint !== undefined && { userId: hint.userId }),
    ...(returnTo !== undefined && { returnTo }),
    isAnybodys: client?.kind !== "app" && returnTo !== undefined && !isLoopbackRedirect(returnTo),
  };
}

/** An ID token may be expired by then (§2). */
async function readHint(text: string | undefined, dependencies: Dependencies): Promise<IdTokenHint | undefined> {
  if (text === undefined) return undefined;
  const hint = await readIdTokenHint(text, dependencies);
  if (hint !== undefined) return hint;
  throw refused("The application did not show by a valid ID token who is to be signed out.", "id_token_hint");
}

async function clientOf(
  named: string | undefined,
  hint: IdTokenHint | undefined,
  dependencies: Dependencies,
): Promise<OAuthClient | undefined> {
  if (named !== undefined && hint !== undefined && hint.clientId !== named) {
    throw refused("The application showed an ID token of another one.", "client_id is not the token's");
  }
  const clientId = named ?? hint?.clientId;
  return clientId === undefined ? undefined : findClient(clientId, dependencies);
}

/** The redirects that a client registered are where people may be sent after signing out, too; no others. */
function readReturn(form: Form, client: OAuthClient | undefined): string | undefined {
  const named = form.get("post_logout_redirect_uri");
  if (named === undefined) return undefined;
  if (client === undefined || !isRegisteredRedirect(named, client.redirectURLs)) {
    throw refused(
      "The address to send you back to is none of those that the application registered.",
      "post_logout_redirect_uri",
    );
  }
  const state = form.get("state");
  if (state === undefined) return named;
  return `${named}${named.includes("?") ? "&" : "?"}${new URLSearchParams({ state })}`;
}

function refused(message: string, detail: string): PageError {
  return new PageError("You cannot be signed out like this", message, {
    detail,
    advice: "You are still signed in.",
  });
}
