import { beginning, NOTES_APP, SET_UP_CONSOLE } from "../../support/yaml.ts";

/** What the API of notes is called in tokens for it. */
export const NOTES = "https://notes.example/";

/** What the MCP server is called in tokens for it. */
export const SERVER = "https://server.example/mcp";

/** What the gateway is at the authorization server. */
export const GATEWAY_CLIENT = { clientId: "gateway", secret: "the secret of the gateway" } as const;

/**
 * The one role: an authorization server that has no gateway. Agents that use the other region's gateway get their tokens
 * here. Takes `COMPANY_WELL_KNOWN`, `COMPANY_CLIENT` and `COMPANY_SECRET` from the variables.
 */
export const authProviderConfiguration = `${beginning()}${SET_UP_CONSOLE}connectors:
  - name: company
    type: oidc
    oidcWellKnownURL: "{{ env.COMPANY_WELL_KNOWN }}"
    oauthClientID: "{{ env.COMPANY_CLIENT }}"
    oauthClientSecret: "{{ env.COMPANY_SECRET }}"
    scopes: [openid, profile, email]
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
apps:
  - type: oidc
    name: gateway of the other region
    clientID: ${GATEWAY_CLIENT.clientId}
    credentials:
      secrets: [${GATEWAY_CLIENT.secret}]
    grantTypes: ["urn:ietf:params:oauth:grant-type:token-exchange"]
    allowedAudiences: [${NOTES}, ${SERVER}]
    customScopes:
      scopes:
        - name: Notes.Read
        - name: Notes.Write
    tokenExchange:
      impersonation: true
      subjectAudiences: ["{{ env.PEER_URL }}/mcp"]
`;

/** People come from the other region, where they are known. */
const inbound = `    authorization:
      inbound:
        members: any
        cel: user.sub.startsWith("user_") && request.mcp.tool.params.name != "deleteNote"
        tools:
          - name: createNote
            scopes: [notes:read, notes:write]
          - name: /.*/
            scopes: [notes:read]
`;

const outbound = (audience: string, more = "") => `      outbound:
        type: tokenExchange
        tokenExchange:
          idp: auth-provider
          audience: ${audience}
${more}`;

const OF_EACH_TOOL = `          tools:
            - name: createNote
              ttl: 20s
              scopes:
                - name: Notes.Write
            - name: /getNote|listNotes/
              ttl: 40s
              scopes:
                - name: Notes.Read
`;

/**
 * The other role: a gateway that issues no tokens. All that it knows of the authorization server is the address of its
 * discovery document, and who the gateway is there. Takes `UPSTREAM_URL` and `MCP_URL` from the variables.
 *
 * Its apps are the API of notes, the same API for whom nobody but the person calls, and an MCP server.
 */
export const gatewayConfiguration = `${beginning()}${SET_UP_CONSOLE}connectors:
  - name: auth-provider
    type: oidc
    oidcWellKnownURL: "{{ env.PEER_URL }}/.well-known/openid-configuration"
    oauthClientID: ${GATEWAY_CLIENT.clientId}
    oauthClientSecret: ${GATEWAY_CLIENT.secret}
mcpProvider:
  enabled: true
  stateSecret: <countersign.key-secret>
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
${NOTES_APP}${inbound}${outbound(NOTES, OF_EACH_TOOL)}\
${NOTES_APP.replace("name: upstream", "name: impersonating")}${inbound}${outbound(NOTES, "          type: impersonation\n")}\
  - type: mcpProxy
    name: server
    upstream:
      stream:
        url: "{{ env.MCP_URL }}/plain"
    authorization:
      inbound:
        members: any
        tools:
          - name: write
            scopes: [notes:write]
          - name: /[c-w].*/
            scopes: [notes:read]
${outbound(SERVER, "          tools:\n            - name: /who.*/\n              ttl: 30s\n")}`;
