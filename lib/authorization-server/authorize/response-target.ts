import { acceptsClientDocuments } from "../../config/oauth-features.ts";
import { PageError } from "../../pages/page-error.ts";
import { isRegisteredRedirect } from "../../protocol/oauth/redirect-url.ts";
import type { OAuthClient } from "../clients/client.ts";
import { findClient } from "../clients/find-client.ts";
import { isClientDocumentUrl } from "../clients/metadata-document.ts";
import type { Form } from "../form.ts";
import type { AuthorizationServerPorts } from "../ports.ts";

/** The receiver of the answer to an authorization request: a known client, and one of its redirects. */
export interface ResponseTarget {
  readonly client: OAuthClient;
  readonly redirectURL: string;
  /** The request named the redirect. */
  readonly namedRedirect: boolean;
  readonly state?: string;
}

/**
 * Client and redirect of a request. Until both are known nothing is redirected anywhere (RFC 6749 §4.1.2.1).
 *
 * @throws {PageError}
 */
export async function findTarget(form: Form, dependencies: AuthorizationServerPorts): Promise<ResponseTarget> {
  const clientId = form.get("client_id");
  if (clientId === undefined) throw untrusted("The request does not say which application it is from.", "no client_id");
  const client = await findClient(clientId, dependencies);
  if (client === undefined) {
    throw untrusted(
      isClientDocumentUrl(clientId) && acceptsClientDocuments(dependencies.configuration().configuration)
        ? `The application describes itself at ${new URL(clientId).host}, and no usable description came from there. The log of this service says why.`
        : "The application is not known here. If it registered itself, its registration may be over: let it register again.",
      "unknown client",
    );
  }
  const state = form.get("state");
  return { client, ...findRedirect(form, client), ...(state !== undefined && { state }) };
}

/**
 * The client of a request that has begun, as it is registered now.
 *
 * @throws {PageError} it is gone, or its redirect is
 */
export async function currentClient(
  { clientId, redirectURL }: { readonly clientId: string; readonly redirectURL: string },
  dependencies: AuthorizationServerPorts,
): Promise<OAuthClient> {
  const client = await findClient(clientId, dependencies);
  if (client !== undefined && isRegisteredRedirect(redirectURL, client.redirectURLs)) return client;
  throw new PageError("This sign-in is over", "The application is not known here any more.", {
    detail: "the client or its redirect is gone",
  });
}

/** RFC 6749 §3.1.2.3; OpenID Connect Core 1.0 §3.1.2.1 wants it named always. */
function findRedirect(
  form: Form,
  { redirectURLs }: OAuthClient,
): Pick<ResponseTarget, "redirectURL" | "namedRedirect"> {
  const named = form.get("redirect_uri");
  if (named !== undefined) {
    if (isRegisteredRedirect(named, redirectURLs)) return { redirectURL: named, namedRedirect: true };
    throw untrusted(
      "The address to send you back to is none of those that the application registered.",
      "redirect_uri",
    );
  }
  const [only, ...others] = redirectURLs;
  const isOpenId = form.get("scope")?.split(" ").includes("openid") === true;
  if (only !== undefined && others.length === 0 && !isOpenId) return { redirectURL: only, namedRedirect: false };
  throw untrusted("The request does not say where to send you back to.", "no redirect_uri");
}

function untrusted(message: string, detail: string): PageError {
  return new PageError("This sign-in cannot begin", message, {
    detail,
    advice: "Nothing was sent to the application. Go back to it and try again, or tell whoever runs it.",
  });
}
