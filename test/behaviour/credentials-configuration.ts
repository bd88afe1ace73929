import { behaviourConfiguration } from "./configuration.ts";

/** What the API of notes is called in tokens for it. */
export const AUDIENCE = "https://ledger.example/";

const GATEWAY = { clientId: "gateway", secret: "the secret of the gateway" } as const;

const CONNECTORS = `
connectors:
  - name: peer
    type: oidc
    oidcWellKnownURL: "{{ env.PEER_URL }}/.well-known/openid-configuration"
    oauthClientID: ${GATEWAY.clientId}
    oauthClientSecret: ${GATEWAY.secret}
`;

/** Tokens of the other region are introspected there; its prefix is that of no other server. */
const PEER_SERVER = `
        - wellKnownEndpoint: "{{ env.PEER_URL }}/.well-known/openid-configuration"
          tokenValidation:
            expectedAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
            method: introspection
            introspection:
              clientID: resource-server
              clientSecret: "s3cret: of the resource server +%"
              timeout: 5s
`;

const CLIENT = `
  - type: oidc
    name: gateway
    clientID: ${GATEWAY.clientId}
    credentials:
      secrets: [${GATEWAY.secret}]
    grantTypes: ["urn:ietf:params:oauth:grant-type:token-exchange"]
    accessToken:
      type: jwt
      lifetime: 1h
    allowedAudiences: ["${AUDIENCE}"]
    customScopes:
      scopes:
        - name: ledger:read
    tokenExchange:
      subjectAudiences: ["{{ env.PUBLIC_URL }}/mcp", "{{ env.PEER_URL }}/mcp"]
`;

const authorization = (idp: string) => `
    authorization:
      inbound:
        tools:
          - name: getNote
            scopes: [notes:read]
          - name: /.*/
            scopes: []
        stepUp:
          - tools: [deleteNote]
            acr: urn:example:strong
            maxAge: 5m
      outbound:
        type: tokenExchange
        tokenExchange:
          idp: ${idp}
          audience: ${AUDIENCE}
          tools:
            - name: getNote
              ttl: 2m
              scopes:
                - name: ledger:read
            - name: listTags
              scopes:
                - name: ledger:everything
`;

const app = behaviourConfiguration.slice(behaviourConfiguration.indexOf("  - type: mcpBridge"));

/**
 * Each region is an authorization server and a gateway before one API: the app `upstream` exchanges at the instance itself,
 * the app `elsewhere` at the other region, which is another process.
 */
export const credentialsConfiguration: string =
  behaviourConfiguration
    .replace("oidcProvider:\n", "oidcProvider:\n  keySecret: <countersign.key-secret>\n")
    .replace("\napps:\n", `${PEER_SERVER.trimEnd()}${CONNECTORS}apps:\n${CLIENT.slice(1)}`) +
  authorization("oidcProvider") +
  app.replace("name: upstream", "name: elsewhere") +
  authorization("peer");
