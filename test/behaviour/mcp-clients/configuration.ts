import { beginning, NOTES_APP, SESSIONS, SET_UP_CONSOLE, TOKEN_SERVICE } from "../../support/yaml.ts";

/** Scopes of the tools, in the order in which the gateway tells them. */
export const SCOPES = ["notes:read", "notes:write"] as const;

/** A transport that is off needs no paths; Lambda refuses the legacy one when it is on. */
const LEGACY = `    sse:
      enabled: true
      path: /sse
      messagePath: /messages
`;

/**
 * A gateway with sessions that trusts two authorization servers: the one where people sign in, whose tokens are JWTs
 * (first, so that clients go there), and its own with API clients. Beside what every behaviour configuration needs it
 * takes `UPSTREAM_URL` and `SIGN_IN_WELL_KNOWN` from the variables.
 */
export function mcpClientsConfiguration({ legacy }: { readonly legacy: boolean }): string {
  return `${beginning()}${SET_UP_CONSOLE}${TOKEN_SERVICE}mcpProvider:
  enabled: true
${SESSIONS}${legacy ? LEGACY : ""}  authorization:
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
${NOTES_APP}    authorization:
      inbound:
        tools:
          - name: createNote
            scopes: [notes:read, notes:write]
          - name: /getNote.*/
            scopes: [notes:read]
          - name: /.*/
            scopes: []
      outbound:
        type: unprotected
`;
}

const AUDIENCES = '["{{ env.PUBLIC_URL }}/mcp", "{{ env.PUBLIC_URL }}/sse"]';
