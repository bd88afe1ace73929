import { peopleConfiguration } from "../people-configuration.ts";

/** What the instance is at the provider of accounts. */
export const HUB_CLIENT = { clientId: "countersign-at-hub", secret: "the secret of the instance at hub" } as const;

/** Of the app that is a REST API, and of the one that is an MCP server; the latter serves only the agent that asked. */
export const [API, SERVER] = ["upstream", "desk"] as const;

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
`;

const outbound = (perAgent: boolean) => `
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
 * and `VAULT_KEY`, 32 bytes as base64url. The last entry of the document is the REST API.
 */
export const connectionsConfiguration: string = `${peopleConfiguration
  .replace("path: /mcp\n", SESSION)
  .replace("connectors:\n", HUB)
  .replace(
    "mcpProvider:\n",
    'vault:\n  keys: ["{{ env.VAULT_KEY }}"]\nmcpProvider:\n  stateSecret: <countersign.key-secret>\n',
  )
  .trimEnd()}
${outbound(false).slice(1)}  - type: mcpProxy
    name: ${SERVER}
    upstream:
      stream:
        url: "{{ env.HUB_URL }}/mcp"${outbound(true)}`;
