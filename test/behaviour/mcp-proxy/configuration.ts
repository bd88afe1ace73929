import { mcpConfiguration } from "../mcp/configuration.ts";

/** What the MCP servers are called in tokens for them. */
export const AUDIENCE = "https://servers.example/mcp";

const GATEWAY = `
  - type: oidc
    name: gateway
    clientID: gateway
    credentials:
      secrets: [the secret of the gateway]
    grantTypes: ["urn:ietf:params:oauth:grant-type:token-exchange"]
    accessToken:
      type: jwt
      lifetime: 1h
    allowedAudiences: ["${AUDIENCE}"]
    customScopes:
      scopes:
        - name: servers:whoami
    tokenExchange:
      subjectAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
`;

/** One that wants a token, with what the gateway decides before it is asked. */
const guarded = (name: string) => `
  - type: mcpProxy
    name: ${name}
    upstream:
      stream:
        url: "{{ env.MCP_URL }}/${name}"
      headers:
        X-Agent: "{{ agent.clientID }}"
        X-Request: "{{ request.id }}"
    tools:
      exclude: [excluded]
      rules:
        - tools: [account]
          result: {remove: [/iban], mask: [{match: "[0-9]{16}"}]}
    authorization:
      inbound:
        rules:
          - cel: request.mcp.method != "tools/call" || request.mcp.tool.params.name != "hidden"
          - cel: >-
              request.mcp.method != "tools/call" ||
              !has(request.mcp.tool.params.arguments.length) ||
              request.mcp.tool.params.arguments.length <= 2000000.0
          - cel: '!has(request.mcp.resource) || request.mcp.resource.uri != "test://private"'
        tools:
          - name: write
            scopes: [servers:write]
          - name: /(?!unruled).*/
            scopes: []
      outbound:
        type: tokenExchange
        tokenExchange:
          idp: oidcProvider
          audience: ${AUDIENCE}
          tools:
            - name: whoami
              ttl: 2m
              scopes:
                - name: servers:whoami
            - name: /.*/
              ttl: 1m
`;

const LAME = `
  - type: mcpProxy
    name: lame
    upstream:
      stream:
        url: "{{ env.MCP_URL }}/lame"
    authorization:
      outbound:
        type: unprotected
`;

/** One whose names stay as they are, with entries for scopes that not every name has. */
const BARE = `
  - type: mcpProxy
    name: bare
    toolNamespace:
      disabled: true
    upstream:
      stream:
        url: "{{ env.MCP_URL }}/bare"
      methods: [custom/told, custom/denied, notifications/custom/told, notifications/custom/denied]
    authorization:
      inbound:
        rules:
          - cel: request.mcp.method != "tools/call" || request.mcp.tool.params.name != "hidden"
          - cel: '!request.mcp.method.endsWith("custom/denied")'
        tools:
          - name: /.*anger/
            scopes: [servers:danger]
          - name: /(?!unruled).*/
            scopes: []
      outbound:
        type: unprotected
`;

/**
 * One gateway before a REST API and four MCP servers: `held` has sessions, `plain` has none, `lame` may be silent, and the names
 * of `bare` are as it has them. It needs `MCP_URL` besides.
 */
export const mcpProxyConfiguration: string =
  mcpConfiguration({ hasLegacy: false })
    .replace("oidcProvider:\n", "oidcProvider:\n  keySecret: <countersign.key-secret>\n")
    .replace("\napps:\n", `\napps:${GATEWAY}`) +
  guarded("held") +
  guarded("plain") +
  LAME +
  BARE;
