import { browserFetch } from "../../support/browser-fetch.ts";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider.ts";
import { openBrowser, type PersonsBrowser, type Visit } from "../../support/person.ts";
import type { RunningRegion, RunningRegions, RuntimeUnderTest } from "../../support/runtime.ts";
import { startWebUpstream, type WebUpstream } from "../../support/web-upstream.ts";
import { NO_UPSTREAM, type Owner, setUpOwner } from "../fixture.ts";
import { signInConfiguration } from "../sign-in-configuration.ts";

/** A region before a web application, one that is open to everybody and one that is not. */
export interface WebAppsUnderTest {
  readonly us: RunningRegion;
  readonly upstream: WebUpstream;
  readonly provider: IdentityProvider;
  readonly owner: Owner;
  newBrowser(): PersonsBrowser;
  /** Opens a page and signs in on the way. */
  signedIn(path: string, login?: string): Promise<{ readonly browser: PersonsBrowser; readonly page: Visit }>;
  stop(): Promise<void>;
}

/** Who asks as a browser does for a page, and as a script of one. */
export const PAGE = { "sec-fetch-mode": "navigate", accept: "text/html" } as const;
export const SCRIPT = { "sec-fetch-mode": "cors", accept: "*/*" } as const;

/** Behind the last app of `signInConfiguration`. */
const APPS = `  - type: proxy
    name: site
    routePatterns: [/site]
    stripPrefix: /site
    upstream: "{{ env.SITE_URL }}/base"
    timeout: 1s
    maxBody: 1MB
    cors:
      allowedOrigins: ["https://elsewhere.example"]
    policies:
      - location: /
        authentication: { allowUnauthenticated: true }
        authorization: { allowAll: true }
  - type: proxy
    name: pages
    routePatterns: [pages.example]
    upstream: "{{ env.SITE_URL }}"
    policies:
      - location: = /about
        authentication: { allowUnauthenticated: true }
        authorization: { allowAll: true }
      - location: ~ \\.css$
        authentication: { allowUnauthenticated: true }
        authorization: { allowAll: true }
      - location: /oauth2
        authentication: { allowUnauthenticated: true }
        authorization: { allowAll: true }
      - location: /
        methods: [GET]
        authentication: { idps: [corp] }
        authorization: { allowAll: true }
  - type: proxy
    name: desk
    members: any
    routePatterns: [/desk]
    logoutURL: /desk/logout
    upstream: "{{ env.SITE_URL }}"
    cors:
      allowedOrigins: ["https://elsewhere.example"]
    headers:
      - { name: X-User, value: "{{ corp.email }}" }
      - { name: X-Department, value: "{{ corp.department }}" }
      - { name: X-Subject, value: "{{ user.sub }}" }
      - { name: X-Trace, value: "{{ request.id }}" }
    assertion:
      audience: https://desk.internal.example
      claims: [email]
    policies:
      - location: = /desk/public
        authentication: { allowUnauthenticated: true }
        authorization: { allowAll: true }
      - location: ~ ^/desk/api/
        authentication:
          bearer: { audiences: ["{{ env.PUBLIC_URL }}/desk"], scopes: ["desk:read"] }
        authorization:
          cel: request.http.method == "GET" && request.http.path != "/desk/api/secret"
      - location: /desk/admin
        authentication: { idps: [corp] }
        authorization:
          rules:
            - contains: ["{{ corp.department }}", management]
      - location: /desk
        authentication: { idps: [corp] }
        authorization: { allowAll: true }
  - type: proxy
    name: fresh
    members: any
    routePatterns: [/fresh]
    upstream: "{{ env.SITE_URL }}"
    headers: [{ name: X-Department, value: "{{ renewed.department }}" }]
    policies:
      - location: /
        authentication: { idps: [renewed] }
        authorization: { allowAll: true }
audit:
  proxy: all
singleLogout:
  logoutURL: /single-logout
  postLogout:
    redirectURL: "{{ env.PUBLIC_URL }}/site/bye?from=us"
`;

/** The same provider, whose claims are too old as soon as there is another request. */
const RENEWED = `  - name: renewed
    type: oidc
    oidcWellKnownURL: "{{ env.IDP_URL }}/.well-known/openid-configuration"
    oauthClientID: "{{ env.IDP_CLIENT }}"
    oauthClientSecret: "{{ env.IDP_SECRET }}"
    scopes: [openid, corp]
    offlineAccess: { enabled: true, claimsRefresh: 1ms }
`;

export async function startWebApps(runtime: RuntimeUnderTest): Promise<WebAppsUnderTest> {
  const [upstream, provider] = await Promise.all([startWebUpstream(), startIdentityProvider()]);
  const regions: RunningRegions = await runtime.start({
    configuration: signInConfiguration.replace("apps:\n", `${RENEWED}apps:\n`) + APPS,
    variables: {
      UPSTREAM_URL: NO_UPSTREAM,
      SITE_URL: upstream.url,
      IDP_URL: provider.issuer,
      IDP_CLIENT: provider.client.id,
      IDP_SECRET: provider.client.secret,
    },
    alone: true,
  });
  const { us } = regions;
  await provider.register([`${us.url}/oauth2/callback`], [`${us.url}/oauth2/logout`], {
    grant_types: ["authorization_code", "refresh_token"],
  });
  const owner = await setUpOwner(us);
  const newBrowser = () =>
    openBrowser(
      ({ hostname }) => hostname === "127.0.0.1",
      (url, init) => browserFetch(url, { ...init, headers: { ...PAGE, ...(init.headers as Record<string, string>) } }),
    );
  return {
    ...{ us, upstream, provider, owner, newBrowser },
    async signedIn(path, login = "alice") {
      const browser = newBrowser();
      const page = await browser.press(await browser.open(`${us.url}${path}`), "Sign in", { login });
      return { browser, page };
    },
    stop: async () => {
      upstream.release();
      await regions.stop();
      await Promise.all([upstream.stop(), provider.stop()]);
    },
  };
}
