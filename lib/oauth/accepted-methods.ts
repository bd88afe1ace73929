import type { OidcAppConfiguration } from "../config/app-configuration.ts";
import type { Configuration } from "../config/configuration.ts";
import type { AuthenticationMethod } from "./client-authentication.ts";
import { acceptsClientDocuments, acceptsRegistrations, offersCodeFlow, offersExchange } from "./features.ts";

type Method = AuthenticationMethod | "none";

/** How callers of introspection authenticate: API clients by their keys, others as some of them can. */
export function introspectionMethods(configuration: Configuration): readonly Method[] {
  return ["private_key_jwt", ...(hasSecrets(configuration) ? BY_SECRET : [])];
}

/** Public clients revoke as well (RFC 7009 §2.1). */
export function revocationMethods(configuration: Configuration): readonly Method[] {
  return [...introspectionMethods(configuration), ...(hasPublicClients(configuration) ? (["none"] as const) : [])];
}

/** Public clients have the code flow alone: exchanges are for clients that authenticate. */
export function tokenMethods(configuration: Configuration): readonly Method[] {
  if (offersCodeFlow(configuration)) return revocationMethods(configuration);
  return offersExchange(configuration) ? introspectionMethods(configuration) : ["private_key_jwt"];
}

const BY_SECRET = ["client_secret_basic", "client_secret_post"] as const;

function hasSecrets(configuration: Configuration): boolean {
  return acceptsRegistrations(configuration) || appsOf(configuration).some(({ secrets }) => secrets.length > 0);
}

function hasPublicClients(configuration: Configuration): boolean {
  const doCome = acceptsRegistrations(configuration) || acceptsClientDocuments(configuration);
  return doCome || appsOf(configuration).some(({ isPublic }) => isPublic);
}

function appsOf({ apps }: Configuration): readonly OidcAppConfiguration[] {
  return apps.filter((app): app is OidcAppConfiguration => app.type === "oidc");
}
