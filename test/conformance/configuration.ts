/** A gateway before one MCP server: whoever calls has to bring a token, and names stay as they are. */
export const proxyConfiguration = `
version: "1"
http:
  address: "{{ env.LISTEN_ADDRESS }}"
  publicURL: "{{ env.PUBLIC_URL }}"
store:
  path: "{{ env.STORE_PATH }}"
logger:
  level: debug
  jsonOutput: true
console:
  enabled: false
mcpProvider:
  enabled: true
  stateSecret: ${"A".repeat(43)}
  transports:
    stream:
      enabled: true
      path: /mcp
      session:
        enabled: true
        timeout: 1h
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: "{{ env.ISSUER_METADATA }}"
          tokenValidation:
            method: jwt
            expectedAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
apps:
  - type: mcpProxy
    name: conformance
    toolNamespace:
      disabled: true
    upstream:
      stream:
        url: "{{ env.UPSTREAM_URL }}"
    authorization:
      outbound:
        type: unprotected
`;
