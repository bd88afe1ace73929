import { beginning, NOTES_APP, SET_UP_CONSOLE } from "../../support/yaml.ts";

/** What the API of notes is called in tokens for it. */
export const NOTES = "https://notes.example/";

/** What the gateway is at the authorization server. */
export const GATEWAY_CLIENT = { clientId: "gateway", secret: "the secret of the gateway" } as const;

/**
 * One instance that is both: the authorization server of agents that use the other region's gateway, and the gateway of
 * agents that the other region's authorization server vouches for. All that either knows of the other is the address of its
 * discovery document. Takes `UPSTREAM_URL`, `COMPANY_WELL_KNOWN`, `COMPANY_CLIENT` and `COMPANY_SECRET` from the variables.
 */
export const requestFlowConfiguration = `${beginning()}${SET_UP_CONSOLE}connectors:
  - name: company
    type: oidc
    oidcWellKnownURL: "{{ env.COMPANY_WELL_KNOWN }}"
    oauthClientID: "{{ env.COMPANY_CLIENT }}"
    oauthClientSecret: "{{ env.COMPANY_SECRET }}"
    scopes: [openid, profile, email]
  - name: auth-provider
    type: oidc
    oidcWellKnownURL: "{{ env.PEER_URL }}/.well-known/openid-configuration"
    oauthClientID: ${GATEWAY_CLIENT.clientId}
    oauthClientSecret: ${GATEWAY_CLIENT.secret}
oidcProvider:
  region: "{{ env.REGION }}"
  keySecret: <countersign.key-secret>
  apiClients:
    idSecret: <countersign.id-secret>
  registration:
    dynamic: true
    idps: [company]
    allowedAudiences: ["{{ env.PEER_URL }}/mcp"]
    scopes: [openid, profile, offline_access, notes:read, notes:write]
mcpProvider:
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
        - wellKnownEndpoint: "{{ env.PEER_URL }}/.well-known/openid-configuration"
          tokenValidation:
            method: jwt
            expectedAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
apps:
  - type: oidc
    name: gateway of the other region
    clientID: ${GATEWAY_CLIENT.clientId}
    credentials:
      secrets: [${GATEWAY_CLIENT.secret}]
    grantTypes: ["urn:ietf:params:oauth:grant-type:token-exchange"]
    allowedAudiences: [${NOTES}]
    customScopes:
      scopes:
        - name: Notes.Read
        - name: Notes.Write
    tokenExchange:
      subjectAudiences: ["{{ env.PEER_URL }}/mcp"]
${NOTES_APP}    authorization:
      inbound:
        # People come from the other region, where they are known.
        members: any
        cel: user.sub.startsWith("user_") && request.mcp.tool.params.name != "deleteNote"
        tools:
          - name: createNote
            scopes: [notes:read, notes:write]
          - name: /.*/
            scopes: [notes:read]
      outbound:
        type: tokenExchange
        tokenExchange:
          idp: auth-provider
          audience: ${NOTES}
          tools:
            - name: createNote
              ttl: 20s
              scopes:
                - name: Notes.Write
            - name: /getNote|listNotes/
              ttl: 40s
              scopes:
                - name: Notes.Read
`;
