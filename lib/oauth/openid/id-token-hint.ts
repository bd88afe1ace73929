import type { Dependencies } from "../../dependencies.ts";
import { oidcProviderOf } from "../provider.ts";

/** Whom an ID token is about that a client shows again, and to which client it was issued. */
export interface IdTokenHint {
  readonly userId: string;
  readonly clientId: string;
}

/** Undefined for everything but an ID token of this issuer, which may have expired (OpenID Connect Core 1.0 §3.1.2.1). */
export async function readIdTokenHint(
  text: string,
  { keyRing, configuration }: Pick<Dependencies, "keyRing" | "configuration">,
): Promise<IdTokenHint | undefined> {
  const claims = await keyRing.verify(text, "JWT");
  const { issuer } = oidcProviderOf(configuration().configuration);
  if (claims?.iss !== issuer || typeof claims.sub !== "string" || typeof claims.aud !== "string") return undefined;
  return { userId: claims.sub, clientId: claims.aud };
}
