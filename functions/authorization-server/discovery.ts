import { documentAnswer } from "../../lib/authorization-server/cacheable-document.ts";
import { authorizationServerMetadata, openIdMetadata } from "../../lib/authorization-server/metadata.ts";
import { oidcProviderOf } from "../../lib/authorization-server/oidc-provider.ts";
import type { Endpoint } from "../env.ts";

/** Authorization server metadata at the path of RFC 8414 §3, and at that of OpenID Connect Discovery §4 with its additions. */
export const discovery: Endpoint = (dependencies) => async (c) => {
  const { configuration } = dependencies.configuration();
  const isOpenId = c.req.path === new URL(oidcProviderOf(configuration).endpoints.wellKnown).pathname;
  const metadata = isOpenId
    ? openIdMetadata(configuration, dependencies.keyRing)
    : authorizationServerMetadata(configuration);
  return documentAnswer(metadata, c.req.header("If-None-Match"));
};
