import { behaviourConfiguration } from "./configuration.ts";

/** A web application's server, which authenticates by a secret. */
export const WEB_APP = {
  clientId: "web-app",
  secret: "the secret of the web application",
  redirect: "https://app.example/callback",
} as const;

/** A program on the person's computer, without credentials. */
export const NATIVE_APP = { clientId: "native-app", redirect: "http://127.0.0.1/callback" } as const;

/**
 * The behaviour suites' configuration with a connector, two apps and registration on. Needs in the variables `IDP_URL`, and
 * `IDP_CLIENT` and `IDP_SECRET`, what the instance is there.
 */
export const signInConfiguration: string = behaviourConfiguration
  .replace(
    "  region:",
    `  keySecret: <countersign.key-secret>
  registration:
    dynamic: true
    allowedAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
    scopes: [openid, profile, "books:read"]
  region:`,
  )
  .replace("console:\n", "console:\n  connectors: [corp]\n")
  .replace(
    "apps:\n",
    `connectors:
  - name: corp
    type: oidc
    oidcWellKnownURL: "{{ env.IDP_URL }}/.well-known/openid-configuration"
    oauthClientID: "{{ env.IDP_CLIENT }}"
    oauthClientSecret: "{{ env.IDP_SECRET }}"
    scopes: [openid, profile, email, corp]
    oauthLogoutRedirect:
      urls: ["{{ env.PUBLIC_URL }}/oauth2/logout"]
apps:
  - type: oidc
    name: The web application
    clientID: ${WEB_APP.clientId}
    credentials:
      secrets: ["${WEB_APP.secret}"]
    redirectURLs: ["${WEB_APP.redirect}"]
    authentication:
      idps: [corp]
    allowedAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
    scopes: [openid, profile, email, offline_access]
    customScopes:
      scopes:
        - name: "books:read"
    claimsMapping:
      department: corp.department
    accessToken:
      type: jwt
  - type: oidc
    name: The native application
    clientID: ${NATIVE_APP.clientId}
    public: true
    redirectURLs: ["${NATIVE_APP.redirect}"]
    authentication:
      idps: [corp]
    allowedAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
    scopes: [openid]
    consent: always
`,
  );
