import { beginning, NOTES_APP, SET_UP_CONSOLE, TOKEN_SERVICE } from "../support/yaml.ts";

/** Credentials of the `oidc` app of the configuration: a resource server that introspects tokens. */
export const RESOURCE_SERVER = { clientId: "resource-server", secret: "s3cret: of the resource server +%" } as const;

/** A second one, which may introspect tokens for its own resource only. */
export const OTHER_RESOURCE_SERVER = {
  clientId: "other-resource-server",
  secret: "secret-of-another-server",
  resource: "https://other.example/api",
} as const;

/**
 * The configuration that every behaviour suite starts both regions with. Besides `PUBLIC_URL` and `REGION` it needs
 * `UPSTREAM_URL` in the variables; the harness of each runtime provides `STORE_PATH` and `LISTEN_ADDRESS`, which only
 * Node uses.
 */
export const behaviourConfiguration: string = `${beginning()}${SET_UP_CONSOLE}${TOKEN_SERVICE}mcpProvider:
  enabled: true
  transports:
    stream:
      enabled: true
      path: /mcp
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: "{{ env.PUBLIC_URL }}/.well-known/openid-configuration"
          tokenValidation:
            expectedAudiences:
              - "{{ env.PUBLIC_URL }}/mcp"
            method: introspection
            introspection:
              clientID: ${RESOURCE_SERVER.clientId}
              clientSecret: "${RESOURCE_SERVER.secret}"
              timeout: 5s
              tokenPrefix: "cst_{{ env.REGION }}_"
apps:
  - type: oidc
    name: resource server
    clientID: ${RESOURCE_SERVER.clientId}
    credentials:
      secrets:
        - "${RESOURCE_SERVER.secret}"
  - type: oidc
    name: other resource server
    clientID: ${OTHER_RESOURCE_SERVER.clientId}
    credentials:
      secrets:
        - ${OTHER_RESOURCE_SERVER.secret}
    resources:
      - ${OTHER_RESOURCE_SERVER.resource}
${NOTES_APP}`;

/** The same with a second authorization server, at which anybody can have an account; `ISSUER_URL` is where its metadata is. */
export function withIssuer(configuration: string): string {
  return configuration.replace(
    "\napps:\n",
    `
        - wellKnownEndpoint: "{{ env.ISSUER_URL }}"
          tokenValidation:
            expectedAudiences:
              - "{{ env.PUBLIC_URL }}/mcp"
            method: jwt
apps:
`,
  );
}

/** The same with sessions of agents. */
export const sessionsConfiguration: string = behaviourConfiguration.replace(
  "path: /mcp\n",
  "path: /mcp\n      session:\n        enabled: true\n",
);

/** Where the Console stands in the suites of the management API; nobody answers there. Passkeys need a host with a name. */
export const CONSOLE_URL = "https://console.example";

/** The same, with a Console that has passkeys. */
export const managementConfiguration: string = sessionsConfiguration.replace(
  "console:\n",
  `console:\n  baseURL: ${CONSOLE_URL}\n  documentationURL: https://docs.example/v1/\n`,
);
