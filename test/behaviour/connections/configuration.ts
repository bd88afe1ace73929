import { CALLBACK, peopleConfiguration } from "../people-configuration.ts";

/** What the instance is at the provider of accounts. */
export const HUB_CLIENT = { clientId: "countersign-at-hub", secret: "the secret of the instance at hub" } as const;

/** Of the app that is a REST API, and of the one that is an MCP server; the latter serves only the agent that asked. */
export const [API, SERVER] = ["upstream", "desk"] as const;

/** The web app whose people work with their own accounts. */
export const BOARD = "board";

const BOARD_APP = `
  - type: proxy
    name: ${BOARD}
    members: any
    routePatterns: [/board]
    stripPrefix: /board
    upstream: "{{ env.HUB_URL }}"
    cors:
      allowedOrigins: ["https://elsewhere.example"]
    authorization:
      outbound:
        type: userToken
        userToken:
          connector: hub
          scopes: ["notes:read"]
    policies:
      - location: = /board/open
        authentication: { allowUnauthenticated: true }
        authorization: { allowAll: true }
      - location: /board
        authentication:
          idps: [corp]
          bearer: { audiences: ["{{ env.PUBLIC_URL }}/mcp"] }
        authorization:
          cel: request.http.path != "/board/denied"
`;

/** Another agent of the same people. */
export const HELPER = { clientId: "helper", secret: "secret of the helper" } as const;

const HELPER_APP = `  - type: oidc
    name: Helping hand
    clientID: ${HELPER.clientId}
    credentials:
      secrets: ["${HELPER.secret}"]
    redirectURLs: ["${CALLBACK}"]
    grantTypes: [authorization_code]
    allowedAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
    scopes: [openid]
    customScopes:
      scopes:
        - name: tools:read
    consent: never
`;

const SESSION = `path: /mcp
      session:
        enabled: true
        timeout: 1h
`;

const HUB = `connectors:
  - name: hub
    type: oauth
    authorizationURL: "{{ env.HUB_URL }}/authorize"
    tokenURL: "{{ env.HUB_URL }}/token"
    revocationURL: "{{ env.HUB_URL }}/revoke"
    oauthClientID: ${HUB_CLIENT.clientId}
    oauthClientSecret: ${HUB_CLIENT.secret}
    account: { url: "{{ env.HUB_URL }}/me", id: id, label: login }
  - name: signed
    type: oauth
    authorizationURL: "{{ env.HUB_URL }}/authorize"
    tokenURL: "{{ env.HUB_URL }}/token"
    clientMetadata: true
    clientAuthentication: private_key_jwt
`;

/** How calls of an app are authorized: by anybody, with tokens of the provider. It begins with the end of a line. */
export const outbound = (perAgent: boolean): string => `
    authorization:
      inbound: { members: any }
      outbound:
        type: userToken
        userToken:
          connector: hub
          scopes: ["notes:read"]
          perAgent: ${perAgent}
`;

/**
 * People's agents before a REST API and an MCP server that take tokens of one provider of accounts alone. It needs `HUB_URL` besides,
 * and `VAULT_KEY`, 32 bytes as base64url. The
 * last entry of the document that this one begins with is the REST API. A web app passes the same tokens on for people in browsers.
 */
export const connectionsConfiguration: string = `${peopleConfiguration
  .replace("path: /mcp\n", SESSION)
  .replace("connectors:\n", HUB)
  .replace("\napps:\n", `\napps:\n${HELPER_APP}`)
  .replace(
    "mcpProvider:\n",
    'vault:\n  keys: ["{{ env.VAULT_KEY }}"]\nmcpProvider:\n  stateSecret: <countersign.key-secret>\n',
  )
  .trimEnd()}
${outbound(false).slice(1)}  - type: mcpProxy
    name: ${SERVER}
    upstream:
      stream:
        url: "{{ env.HUB_URL }}/mcp"${outbound(true).trimEnd()}${BOARD_APP}`;
