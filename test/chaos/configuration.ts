import { beginning, SET_UP_CONSOLE } from "../support/yaml.ts";

/** A resource server that may introspect every token. */
export const RESOURCE_SERVER = { clientId: "resource-server", secret: "secret-of-the-resource-server" } as const;

/**
 * Everything that logs can say is logged, so that whatever is secret in it shows. An edge is given the secret of client ids;
 * Node keeps one of its own, whose file must survive too.
 */
export const chaosConfiguration = (runtime: "node" | "edge"): string => `${beginning()}${SET_UP_CONSOLE}oidcProvider:
  region: "{{ env.REGION }}"${runtime === "edge" ? ID_SECRET : ""}
apps:
  - type: oidc
    name: resource server
    clientID: ${RESOURCE_SERVER.clientId}
    credentials:
      secrets:
        - ${RESOURCE_SERVER.secret}
`;

const ID_SECRET = `
  apiClients:
    idSecret: <countersign.id-secret>`;
