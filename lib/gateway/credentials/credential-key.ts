import type { Identity } from "../identity.ts";
import { tokenName } from "../inbound/identity-cache.ts";
import type { CredentialServer } from "./credential-server.ts";
import type { ExchangeTerms } from "./terms.ts";

export interface CredentialUse {
  readonly server: CredentialServer;
  readonly terms: ExchangeTerms;
  readonly identity: Pick<Identity, "issuer" | "agent"> & { readonly user?: { readonly sub: string } };
  /** The agent's. */
  readonly token: string;
}

/**
 * What a kept credential is known by: where and for what it was exchanged, and for which token of whom (checklist 39). A
 * renewed token of the agent begins anew.
 */
export function credentialKey({ server, terms, identity, token }: CredentialUse): string {
  const { issuer, user, agent } = identity;
  return JSON.stringify([server, terms, issuer, user?.sub ?? null, agent.clientID, tokenName(token)]);
}
