import type { OidcAppConfiguration } from "../../config/app-configuration.ts";
import type { Configuration } from "../../config/configuration.ts";
import { type CredentialServer, credentialServer } from "../credentials/credentials.ts";
import { requestedSeconds } from "../credentials/exchange.ts";
import { schemesInUse } from "../credentials/upstream-auth.ts";
import type { LocatedTool } from "../tool-index.ts";
import { allowed, denied, type ExplainedCredential, type ExplainedStep } from "./explanation.ts";

/** What a call would carry. Nothing is exchanged; what this instance's own registration refuses is known all the same. */
export function explainCredential(
  located: LocatedTool,
  configuration: Configuration,
): { readonly step: ExplainedStep; readonly credential?: ExplainedCredential } {
  const { app, terms } = located;
  if (app.outbound.type !== "tokenExchange" || terms === undefined) {
    const schemes = located.kind === "bridge" ? schemesInUse(located.app, located.open()) : [];
    return { step: allowed("credential", configured(schemes)) };
  }
  const server = credentialServer(app.outbound, configuration);
  const { mode, audience, scopes } = terms;
  const where = server.kind === "own" ? server.issuer : server.name;
  const credential = {
    server: where,
    clientID: server.clientID,
    mode,
    audience,
    scopes,
    ttl: requestedSeconds(terms.ttl),
  };
  const problem = problemOf(server, credential, configuration);
  return {
    step: problem === undefined ? allowed("credential", sentence(credential)) : denied("credential", problem),
    credential,
  };
}

function configured(schemes: readonly string[]): string {
  return schemes.length === 0 ? "calls carry none" : `that of upstream.auth for ${schemes.join(" and ")}`;
}

function sentence({ server, clientID, mode, audience, scopes, ttl }: ExplainedCredential): string {
  const carried = scopes.length === 0 ? "no scopes" : `the scopes ${scopes.join(" ")}`;
  return `${mode} at ${server} as ${clientID}: for ${audience}, with ${carried}, ${ttl} s`;
}

function problemOf(
  server: CredentialServer,
  { clientID, mode, audience, scopes }: ExplainedCredential,
  { apps }: Configuration,
): string | undefined {
  if (server.kind !== "own") return undefined;
  const client = apps.find((app): app is OidcAppConfiguration => app.type === "oidc" && app.clientID === clientID);
  if (client === undefined) return `no oidc app has the clientID ${clientID}`;
  if (!client.allowedAudiences.includes(audience)) return `${clientID} may not ask for the audience ${audience}`;
  const missing = scopes.filter((scope) => !client.scopes.includes(scope));
  if (missing.length > 0) return `${clientID} may not ask for the scopes ${missing.join(" ")}`;
  return mode === "impersonation" && !client.tokenExchange.impersonation
    ? `${clientID} may not impersonate`
    : undefined;
}
