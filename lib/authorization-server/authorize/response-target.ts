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
  if (clientId === undefined)
    throw new PageError(({ cannotBegin }) => cannotBegin.noClient, { detail: "no client_id" });
  const client = await findClient(clientId, dependencies);
  if (client === undefined) {
    const hasDocument =
      isClientDocumentUrl(clientId) && acceptsClientDocuments(dependencies.configuration().configuration);
    throw new PageError(
      ({ cannotBegin }) =>
        hasDocument ? cannotBegin.badDescription(new URL(clientId).host) : cannotBegin.unknownClient,
      { detail: "unknown client" },
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
  throw new PageError(({ errors }) => errors.clientGone, { detail: "the client or its redirect is gone" });
}

/** RFC 6749 §3.1.2.3; OpenID Connect Core 1.0 §3.1.2.1 wants it named always. */
function findRedirect(
  form: Form,
  { redirectURLs }: OAuthClient,
): Pick<ResponseTarget, "redirectURL" | "namedRedirect"> {
  const named = form.get("redirect_uri");
  if (named !== undefined) {
    if (isRegisteredRedirect(named, redirectURLs)) return { redirectURL: named, namedRedirect: true };
    throw new PageError(({ cannotBegin }) => cannotBegin.otherRedirect, { detail: "redirect_uri" });
  }
  const [only, ...others] = redirectURLs;
  const isOpenId = form.get("scope")?.split(" ").includes("openid") === true;
  if (only !== undefined && others.length === 0 && !isOpenId) return { redirectURL: only, namedRedirect: false };
  throw new PageError(({ cannotBegin }) => cannotBegin.noRedirect, { detail: "no redirect_uri" });
}
