import { documentAnswer } from "../../lib/authorization-server/cacheable-document.ts";
import { authorizationServerMetadata, openIdMetadata } from "../../lib/authorization-server/metadata.ts";
import { oidcProviderOf } from "../../lib/authorization-server/oidc-provider.ts";
import { oauthMetadataPath } from "../../lib/protocol/http/well-known.ts";
import type { Endpoint } from "../env.ts";

/**
 * Authorization server metadata at the path of RFC 8414 §3, and at every other with the additions of OpenID Connect Discovery §3:
 * at that of its §4, and where the configuration has its discovery document.
 */
export const discovery: Endpoint = (dependencies) => async (c) => {
  const { configuration } = dependencies.configuration();
  const { issuer, endpoints } = oidcProviderOf(configuration);
  const isOpenId = c.req.path !== oauthMetadataPath(issuer) || c.req.path === new URL(endpoints.wellKnown).pathname;
  const metadata = isOpenId
    ? openIdMetadata(configuration, dependencies.keyRing)
    : authorizationServerMetadata(configuration);
  return documentAnswer(metadata, c.req.header("If-None-Match"));
};
