import { guardedGateway } from "../support/yaml.ts";

/** A gateway before one MCP server: whoever calls has to bring a token, and names stay as they are. */
export const proxyConfiguration = guardedGateway(
  `  - type: mcpProxy
    name: conformance
    toolNamespace:
      disabled: true
    upstream:
      stream:
        url: "{{ env.UPSTREAM_URL }}"
    authorization:
      outbound:
        type: unprotected
`,
  { provider: `  stateSecret: ${"A".repeat(43)}\n` },
);
