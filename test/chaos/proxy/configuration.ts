import { guardedGateway } from "../../support/yaml.ts";
import { UPSTREAMS, type UpstreamRole } from "./cast.ts";

/** How long an upstream may stay silent, milliseconds. */
export const UPSTREAM_TIMEOUT = 3_000;

/** A gateway before all upstreams, which are told who calls. Whatever it logs as an error is one. */
export const proxyChaosConfiguration = guardedGateway(UPSTREAMS.map(app).join(""), { level: "info" });

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
      resources: ["note://{+nonce}"]
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
