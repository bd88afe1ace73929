import { behaviourConfiguration } from "./configuration.ts";

/** Where nobody answers: browsers are sent there and the test reads the address. */
export const CALLBACK = "https://agent.example/callback";
export const LEDGER = "https://ledger.example/api";

/** The apps that people and tokens of `peopleConfiguration` meet. */
export const AGENT = { clientId: "agent", secret: "secret of the agent" } as const;
export const GATEWAY_APP = { clientId: "gateway", secret: "secret of the gateway" } as const;
export const LEDGER_APP = { clientId: "ledger", secret: "secret of the ledger" } as const;

/** Acts for itself. */
export const JOB_APP = { clientId: "job", secret: "s3cret: of the job +%" } as const;

/** What a person's identity provider is called, and the variables that say where it is and who we are there. */
export function providerVariables(provider: {
  readonly wellKnown: string;
  readonly client: { readonly id: string; readonly secret: string };
}): Readonly<Record<string, string>> {
  const { wellKnown, client } = provider;
  return { CORP_WELL_KNOWN: wellKnown, CORP_CLIENT: client.id, CORP_SECRET: client.secret };
}

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** The configuration of the behaviour suites with a connector, an agent that signs people in, and apps that exchange. */
export const peopleConfiguration: string = behaviourConfiguration
  .replace("  region:", "  keySecret: <countersign.key-secret>\n  region:")
  .replace(
    "apps:\n",
    `connectors:
  - name: corp
    type: oidc
    oidcWellKnownURL: "{{ env.CORP_WELL_KNOWN }}"
    oauthClientID: "{{ env.CORP_CLIENT }}"
    oauthClientSecret: "{{ env.CORP_SECRET }}"
    scopes: [openid, profile, email, corp]
apps:
  - type: oidc
    name: agent
    clientID: ${AGENT.clientId}
    credentials:
      secrets: ["${AGENT.secret}"]
    redirectURLs: ["${CALLBACK}"]
    grantTypes: [authorization_code, refresh_token]
    allowedAudiences: ["{{ env.PUBLIC_URL }}/mcp", "${LEDGER}"]
    scopes: [openid, profile, email, offline_access]
    customScopes:
      scopes:
        - name: tools:read
    claimsMapping:
      department: corp.department
    consent: never
  - type: oidc
    name: gateway
    clientID: ${GATEWAY_APP.clientId}
    credentials:
      secrets: ["${GATEWAY_APP.secret}"]
    grantTypes: ["${EXCHANGE}"]
    accessToken:
      lifetime: 5m
    allowedAudiences: ["${LEDGER}"]
    customScopes:
      scopes:
        - name: ledger:read
    claimsMapping:
      department: corp.department
    tokenExchange:
      impersonation: true
      subjectAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
      subjectConnectors: [corp]
  - type: oidc
    name: job
    clientID: ${JOB_APP.clientId}
    credentials:
      secrets: ["${JOB_APP.secret}"]
    grantTypes: [client_credentials]
    accessToken:
      lifetime: 5m
    allowedAudiences: ["{{ env.PUBLIC_URL }}/mcp", "${LEDGER}"]
    customScopes:
      scopes:
        - name: jobs:run
  - type: oidc
    name: ledger
    clientID: ${LEDGER_APP.clientId}
    credentials:
      secrets: ["${LEDGER_APP.secret}"]
    grantTypes: ["${EXCHANGE}"]
    accessToken:
      type: opaque
      lifetime: 5m
    allowedAudiences: ["${LEDGER}"]
    tokenExchange:
      subjectAudiences: ["${LEDGER}"]
`,
  );
