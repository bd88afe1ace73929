import { UPSTREAMS, type UpstreamRole } from "./cast.ts";

/** How long an upstream may stay silent, milliseconds. */
export const UPSTREAM_TIMEOUT = 3_000;

/** A gateway before all upstreams, which are told who calls. Whatever it logs as an error is one. */
export const proxyChaosConfiguration = `
version: "1"
http:
  address: "{{ env.LISTEN_ADDRESS }}"
  publicURL: "{{ env.PUBLIC_URL }}"
store:
  path: "{{ env.STORE_PATH }}"
logger:
  level: info
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
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: "{{ env.ISSUER_METADATA }}"
          tokenValidation:
            method: jwt
            expectedAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
apps:
${UPSTREAMS.map(app).join("")}`;

function app({ name, prefix }: UpstreamRole): string {
  const namespace = prefix === "" ? "disabled: true" : `name: ${prefix}`;
  return `  - type: mcpProxy
    name: ${name}
    toolNamespace:
      ${namespace}
    upstream:
      stream:
        url: "{{ env.${urlVariable(name)} }}"
      timeout: ${UPSTREAM_TIMEOUT}ms
      headers:
        X-Principal: "{{ user.sub }}/{{ agent.clientID }}"
    authorization:
      outbound:
        type: unprotected
`;
}

/** The variable that names the URL of an upstream. */
export function urlVariable(name: string): string {
  return `URL_OF_${name.toUpperCase()}`;
}
