import { documentAnswer } from "../../lib/authorization-server/cacheable-document.ts";
import { signsTokens } from "../../lib/authorization-server/keys/signs-tokens.ts";
import type { Endpoint } from "../env.ts";

/** JSON Web Key Set (RFC 7517 §5) of the public signing keys; empty as long as nothing was signed. */
export const jwks: Endpoint = (dependencies) => async (c) => {
  const keys = await dependencies.keyRing.publicKeys();
  // The first key signs as soon as it is made: nobody is to go on without it for minutes.
  const isSettled = keys.length > 0 || !signsTokens(dependencies.configuration().configuration);
  return documentAnswer({ keys }, c.req.header("If-None-Match"), isSettled);
};
