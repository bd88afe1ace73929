import { exportJWK, generateKeyPair } from "jose";
import { createClientDocuments } from "../../../lib/authorization-server/clients/client-documents.ts";
import type { OidcAppConfiguration } from "../../../lib/config/app-configuration.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { NO_REGISTRATION } from "../../support/configuration.ts";
import { type DocumentServer, openDocumentServer } from "../../support/document-server.ts";
import { type InProcess, PROVIDER, startInProcess } from "../../support/in-process.ts";

/** A connector that people could sign in at; nobody does here. */
export const CONNECTOR: Configuration["connectors"][number] = {
  name: "corp",
  type: "oidc",
  wellKnownURL: "https://login.example/.well-known/openid-configuration",
  clientID: "countersign",
  scopes: ["openid"],
  disablePKCE: false,
  offlineAccess: false,
  clientAuthentication: "client_secret_basic",
};

export const REGISTRATION = {
  ...NO_REGISTRATION,
  dynamic: true,
  clientIDMetadata: true,
  connectors: ["corp"],
  allowedAudiences: ["https://us.example/mcp"],
  scopes: ["openid", "profile", "books:read"],
};

export const APP: OidcAppConfiguration = {
  type: "oidc",
  name: "An app",
  clientID: "app",
  isPublic: false,
  secrets: ["first secret", "second secret"],
  jwks: [],
  redirectURLs: ["https://app.example/callback"],
  idps: ["corp"],
  grantTypes: ["authorization_code", "refresh_token"],
  accessToken: { type: "jwt", lifetime: 3_600_000 },
  allowedAudiences: ["https://us.example/mcp"],
  scopes: ["openid"],
  defaultScopes: [],
  claimsMapping: {},
  tokenExchange: { impersonation: false, subjectConnectors: [] },
  consent: "once",
};

/** The product that clients come to by themselves, and a server that has their documents. */
export interface Started extends InProcess {
  readonly server: DocumentServer;
}

export async function startForClients(
  apps: Configuration["apps"] = [APP],
  changes: Partial<Configuration> = {},
): Promise<Started> {
  const server = await openDocumentServer();
  const product = await startInProcess({
    configuration: {
      connectors: [CONNECTOR],
      oidcProvider: { ...PROVIDER, registration: REGISTRATION },
      apps,
      ...changes,
    },
    adapt: (dependencies) => ({
      ...dependencies,
      agentSuppliedFetch: server.fetch,
      clientDocuments: createClientDocuments({ ...dependencies, agentSuppliedFetch: server.fetch }),
    }),
  });
  return {
    ...product,
    server,
    close: async () => {
      await product.close();
      await server.close();
    },
  };
}

/** A key pair of a client; `jwk` is its public half. */
export async function newKey(algorithm = "ES256") {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return { privateKey, jwk: await exportJWK(publicKey) };
}
