import { readFileSync } from "node:fs";

// Pieces of the documents that runtimes under test are started with. Each is a whole part at the left margin and ends its line.

/** Takes `LISTEN_ADDRESS`, `PUBLIC_URL` and `STORE_PATH`, which every runtime under test provides. */
export function beginning(level: "debug" | "info" = "debug"): string {
  return `version: "1"
http:
  address: "{{ env.LISTEN_ADDRESS }}"
  publicURL: "{{ env.PUBLIC_URL }}"
store:
  path: "{{ env.STORE_PATH }}"
logger:
  level: ${level}
  jsonOutput: true
`;
}

export const SET_UP_CONSOLE = `console:
  enabled: true
  setupToken: <countersign.setup-token>
`;

export const NO_CONSOLE = `console:
  enabled: false
`;

/** Issues tokens to API clients. Takes `REGION`. */
export const TOKEN_SERVICE = `oidcProvider:
  region: "{{ env.REGION }}"
  apiClients:
    idSecret: <countersign.id-secret>
`;

/** In `mcpProvider`: the endpoint at `/mcp`, with sessions. */
export const SESSIONS = `  transports:
    stream:
      enabled: true
      path: /mcp
      session:
        enabled: true
        timeout: 1h
`;

/**
 * A gateway without a Console. Whoever calls brings a JWT of the issuer that `ISSUER_METADATA` names.
 *
 * @param provider further lines of `mcpProvider`
 * @param apps the items of `apps`
 */
export function guardedGateway(
  apps: string,
  { level = "debug", provider = "" }: { readonly level?: "debug" | "info"; readonly provider?: string } = {},
): string {
  return `${beginning(level)}${NO_CONSOLE}mcpProvider:
  enabled: true
${provider}${SESSIONS}  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: "{{ env.ISSUER_METADATA }}"
          tokenValidation:
            method: jwt
            expectedAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
apps:
${apps}`;
}

/** An item of `apps`: the API of `upstream.ts` at `UPSTREAM_URL`. */
export const NOTES_APP: string = bridgeApp(
  "upstream",
  readFileSync(new URL("upstream.openapi.yaml", import.meta.url), "utf8"),
);

/**
 * An item of `apps`: an API at `UPSTREAM_URL`.
 *
 * @param openapi its document, YAML
 * @param more further lines, four spaces from the margin
 */
export function bridgeApp(name: string, openapi: string, more = ""): string {
  return `  - type: mcpBridge
    name: ${name}
    mode: openapi
${more}    openapi:
      baseURL: "{{ env.UPSTREAM_URL }}"
      spec:
        data: |
${openapi.replace(/^(?=.)/gm, " ".repeat(10))}
`;
}
