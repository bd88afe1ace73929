import { documentAnswer } from "../../lib/oauth/cacheable-document.ts";
import { oidcProviderOf } from "../../lib/oauth/provider.ts";
import type { Endpoint } from "../env.ts";

/** JSON Web Key Set (RFC 7517 §5) of the public signing keys; empty when nothing is signed. */
export const jwks: Endpoint = (dependencies) => async (c) => {
  const { publicKeys } = oidcProviderOf(dependencies.configuration().configuration);
  return documentAnswer({ keys: publicKeys }, c.req.header("If-None-Match"));
};
