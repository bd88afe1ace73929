import { readFileSync } from "node:fs";

const openapi = readFileSync(new URL("../../support/upstream.openapi.yaml", import.meta.url), "utf8");

/** Scopes of the tools, in the order in which the gateway tells them. */
export const SCOPES = ["notes:read", "notes:write"] as const;

/** A transport that is off needs no paths; Lambda refuses the legacy one when it is on. */
const LEGACY = `
    sse:
      enabled: true
      path: /sse
      messagePath: /messages`;

/**
 * A gateway with sessions that trusts two authorization servers: the one where people sign in, whose tokens are JWTs
 * (first, so that clients go there), and its own with API clients. Beside what every behaviour configuration needs it
 * takes `UPSTREAM_URL` and `SIGN_IN_WELL_KNOWN` from the variables.
 */
export function mcpClientsConfiguration({ legacy }: { readonly legacy: boolean }): string {
  return `
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
  enabled: true
  setupToken: <countersign.setup-token>
oidcProvider:
  region: "{{ env.REGION }}"
  apiClients:
    idSecret: <countersign.id-secret>
mcpProvider:
  enabled: true
  transports:
    stream:
      enabled: true
      path: /mcp
      session:
        enabled: true
        timeout: 1h${legacy ? LEGACY : ""}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: "{{ env.SIGN_IN_WELL_KNOWN }}"
          tokenValidation:
            method: jwt
            expectedAudiences: ${AUDIENCES}
        - wellKnownEndpoint: "{{ env.PUBLIC_URL }}/.well-known/openid-configuration"
          tokenValidation:
            method: introspection
            expectedAudiences: ${AUDIENCES}
            introspection:
              clientID: gateway
              clientSecret: unused within one process
              timeout: 5s
              tokenPrefix: "cst_{{ env.REGION }}_"
apps:
  - type: mcpBridge
    name: upstream
    mode: openapi
    openapi:
      baseURL: "{{ env.UPSTREAM_URL }}"
      spec:
        data: |
${openapi.replace(/^(?=.)/gm, " ".repeat(10))}
    authorization:
      inbound:
        tools:
          - name: createNote
            scopes: [notes:read, notes:write]
          - name: /getNote.*/
            scopes: [notes:read]
      outbound:
        type: unprotected
`;
}

const AUDIENCES = '["{{ env.PUBLIC_URL }}/mcp", "{{ env.PUBLIC_URL }}/sse"]';
