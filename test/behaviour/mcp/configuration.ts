import { behaviourConfiguration } from "../configuration.ts";

/** The header that this configuration carries session ids in. */
export const SESSION_HEADER = "X-Agent-Session";

const STREAM = "      path: /mcp\n";
const SESSIONS = `      session:
        enabled: true
        headerName: ${SESSION_HEADER}
        timeout: 10m
`;
const LEGACY = `    sse:
      enabled: true
      basePath: /legacy
      path: /sse
      messagePath: /messages
      keepAlive:
        enabled: true
        interval: 1s
`;
const AUDIENCE = '              - "{{ env.PUBLIC_URL }}/mcp"\n';
/** The app is the last entry of the document, so that this continues it. */
const UNPROTECTED = `
    authorization:
      outbound:
        type: unprotected
`;

/**
 * The configuration of the behaviour suites with sessions, and with the legacy transport where the runtime carries it.
 *
 * @param hasLegacy Lambda refuses a configuration with it
 */
export function mcpConfiguration({ hasLegacy }: { readonly hasLegacy: boolean }): string {
  return (
    behaviourConfiguration
      .replace(STREAM, `${STREAM}${SESSIONS}${hasLegacy ? LEGACY : ""}`)
      .replace(AUDIENCE, `${AUDIENCE}${AUDIENCE.replace("/mcp", "/legacy/sse")}`) + UNPROTECTED
  );
}
