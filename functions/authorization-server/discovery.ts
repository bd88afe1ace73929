import { documentAnswer } from "../../lib/oauth/cacheable-document.ts";
import { authorizationServerMetadata } from "../../lib/oauth/metadata.ts";
import { oidcProviderOf } from "../../lib/oauth/provider.ts";
import type { Endpoint } from "../env.ts";

/** Authorization server metadata (RFC 8414 §3, OpenID Connect Discovery §4). */
export const discovery: Endpoint = (dependencies) => async (c) => {
  const provider = oidcProviderOf(dependencies.configuration().configuration);
  return documentAnswer(authorizationServerMetadata(provider), c.req.header("If-None-Match"));
};
