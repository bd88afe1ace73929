import { readFileSync } from "node:fs";

const openapi = readFileSync(new URL("tools.openapi.yaml", import.meta.url), "utf8");

/** A gateway that asks nobody for a token, since the conformance scenarios bring none, and leaves names as they are. */
export const conformanceConfiguration = `
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
  transports:
    stream:
      enabled: true
      path: /mcp
      session:
        enabled: true
        timeout: 1h
  authorization:
    oauth:
      enabled: false
apps:
  - type: mcpBridge
    name: conformance
    mode: openapi
    toolNamespace:
      disabled: true
    openapi:
      baseURL: "{{ env.UPSTREAM_URL }}"
      spec:
        data: |
${openapi.replace(/^(?=.)/gm, " ".repeat(10))}
    authorization:
      outbound:
        type: unprotected
`;
