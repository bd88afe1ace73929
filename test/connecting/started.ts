import { Hono } from "hono";
import { connect, connectCallback } from "../../functions/connections/connect.ts";
import type { Env } from "../../functions/env.ts";
import { forBrowsers, type SignInEndpoint } from "../../functions/middleware/browser.ts";
import { answerError } from "../../functions/middleware/errors.ts";
import { requestContext } from "../../functions/middleware/request-context.ts";
import { securityHeaders } from "../../functions/middleware/security-headers.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { McpProxyAppConfiguration } from "../../lib/config/app-configuration.ts";
import type { Configuration, OAuthConnectorConfiguration } from "../../lib/config/configuration.ts";
import { CONNECT, CONNECT_CALLBACK } from "../../lib/config/endpoints.ts";
import { type AccountConnections, AccountProviderError } from "../../lib/connecting/connect-context.ts";
import { type ConnectRequest, storeConnectRequest } from "../../lib/connections/connect-request.ts";
import type { ProviderTokens } from "../../lib/connections/provider.ts";
import type { ResolvedProvider } from "../../lib/connections/resolved-provider.ts";
import { createConnectors } from "../../lib/connectors/connectors.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { personId } from "../../lib/stores/identities.ts";
import { StoreUnavailableError } from "../../lib/stores/unavailable.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";
import { AGENT, CORP } from "../support/oauth-apps.ts";
import { openBrowser, type PersonsBrowser, type Visit } from "../support/person.ts";

/** The walk of connecting an account in this process, with a real identity provider and a provider of accounts that the test plays. */
export interface ConnectStarted {
  readonly product: InProcess;
  readonly corp: IdentityProvider;
  /** What the provider of accounts was asked for and said. */
  readonly provider: PlayedProvider;
  /** Stores a request of Alice's agent; resolves to its link. */
  link(changes?: Partial<ConnectRequest>): Promise<string>;
  personOf(login: string): string;
  newBrowser(): PersonsBrowser;
  /** A request without a browser around it. */
  send(url: string, init?: RequestInit): Promise<Response>;
  /** Records of the type, newest first. */
  records(type: AuditEvent["type"]): Promise<readonly AuditEvent[]>;
  stop(): Promise<void>;
}

export interface PlayedProvider {
  /** Of the connector `hub`. */
  resolved: ResolvedProvider;
  /** What a code is redeemed for; an error is thrown. */
  answer: (code: string) => ProviderTokens | Error;
  /** The account that serves so far. */
  former: ProviderTokens["account"];
  /** Where it cannot be found. */
  isDown: boolean;
  /** Where the store is away when an account is to be kept. */
  isStoreAway: boolean;
  readonly redeemed: { readonly code: string; readonly redirectURL: string; readonly codeVerifier?: string }[];
  readonly completed: { readonly request: ConnectRequest; readonly tokens: ProviderTokens }[];
  readonly discarded: ProviderTokens[];
}

export const HUB: OAuthConnectorConfiguration = {
  name: "hub",
  type: "oauth",
  endpoints: {
    kind: "static",
    authorizationURL: "https://hub.example/authorize",
    tokenURL: "https://hub.example/token",
  },
  clientID: "countersign-at-hub",
  clientSecret: "the secret at hub",
  clientAuthentication: "client_secret_basic",
  clientMetadata: false,
  disablePKCE: false,
  refresh: { grace: 0, timeout: 10_000 },
};

const RESOLVED: ResolvedProvider = {
  authorizationURL: "https://hub.example/authorize",
  tokenURL: "https://hub.example/token",
  sendsIssuer: false,
  clientID: "countersign-at-hub",
  clientAuthentication: "client_secret_basic",
};

export const TOKENS: ProviderTokens = {
  accessToken: "the access token",
  refreshToken: "the refresh token",
  scopes: ["repo:read"],
  account: { id: "17", label: "octo-alice" },
  clientID: "countersign-at-hub",
};

export interface ConnectOptions {
  /** What the browsers go to beside us and `corp`. */
  readonly within?: readonly string[];
  /** The instance connects accounts itself, by its configuration; else the test plays the provider. */
  readonly isReal?: boolean;
  /** Where the instance is. */
  readonly origin?: string;
  /** Puts something between the instance and its dependencies. */
  readonly adapt?: (dependencies: Dependencies) => Dependencies;
}

export async function startConnecting(
  change: Partial<Configuration> = {},
  { within = [], isReal = false, origin = ISSUER, adapt = (same) => same }: ConnectOptions = {},
): Promise<ConnectStarted> {
  const corp = await startIdentityProvider();
  await corp.register([`${origin}/oauth2/callback`], [`${origin}/oauth2/logout`]);
  const settings = {
    ...CORP,
    ...{ wellKnownURL: corp.wellKnown, clientID: corp.client.id, clientSecret: corp.client.secret },
    scopes: ["openid", "profile", "email"],
  };
  const product = await startInProcess({
    configuration: {
      ...{ connectors: [settings], apps: [AGENT], oauthConnectors: [HUB, { ...HUB, name: "lab" }] },
      ...change,
    },
    adapt,
  });
  product.clock.set(Date.now());
  const { dependencies } = product;
  const provider: PlayedProvider = {
    ...{ resolved: RESOLVED, answer: () => TOKENS, former: undefined, isDown: false, isStoreAway: false },
    ...{ redeemed: [], completed: [], discarded: [] },
  };
  const app = mounted(product, playedAccounts(provider));
  const send = async (text: string, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(text, origin);
    if (url.origin !== origin) return fetch(url, init);
    if (isReal || !url.pathname.startsWith(CONNECT)) return product.send(url.href, init);
    const host = { remoteAddress: "203.0.113.1", waitUntil: () => undefined, target: url.pathname + url.search };
    return app.fetch(new Request(url, init), { host });
  };
  const organization = await dependencies.stores.directory.firstOrganization();
  const personOf = (login: string) => personId({ issuer: corp.issuer, subject: login });
  return {
    ...{ product, corp, provider, personOf, send },
    link: async (changes = {}) => {
      const id = await storeConnectRequest(
        {
          organizationId: organization?.organizationId ?? "",
          ...{ person: personOf("alice"), app: "tickets", connector: "hub", agent: AGENT.clientID },
          ...{ perAgent: false, scopes: ["repo:read"], ...changes },
        },
        dependencies,
      );
      return `${origin}${CONNECT}/${id}`;
    },
    newBrowser: () =>
      openBrowser(
        (url) => [origin, corp.issuer, ...within].includes(url.origin),
        (url, init) => send(url.href, init),
      ),
    records: async (type) => {
      await dependencies.refusals.flushDue();
      const organizationId = organization?.organizationId;
      return (await dependencies.stores.auditLog.query({ organizationId, type }, { limit: 50 })).items;
    },
    stop: async () => {
      await product.close();
      await corp.stop();
    },
  };
}

/** An app whose calls carry the person's own token. */
export const TICKETS: McpProxyAppConfiguration = {
  ...{ type: "mcpProxy", name: "tickets", namespace: "", transport: "stream", url: "https://tickets.example/mcp" },
  ...{ concurrency: 1, shareable: false, timeout: 1_000, inboundTools: [], stepUp: [] },
  outbound: { type: "userToken", connector: "hub", scopes: ["openid"], tools: [], perAgent: false },
};

/** The connector `hub` at a real provider, which tells whose account it is. */
export function hubAt({ issuer, client }: IdentityProvider) {
  return {
    ...{ ...HUB, clientID: client.id, clientSecret: client.secret },
    endpoints: { kind: "static" as const, authorizationURL: `${issuer}/auth`, tokenURL: `${issuer}/token`, issuer },
    account: { url: `${issuer}/me`, id: "sub", label: "name" },
  } satisfies OAuthConnectorConfiguration;
}

/** Opens a link and signs in on the way. */
export async function opened(browser: PersonsBrowser, link: string, login = "alice"): Promise<Visit> {
  const page = await browser.open(link);
  return page.html.includes("Sign in at Corp") ? browser.press(page, "Sign in", { login }) : page;
}

/** The address that a provider sends somebody back to, whom it was to send to `at`. */
export function backFrom(at: Visit, answer: Readonly<Record<string, string>> = { code: "the-code" }): string {
  const url = new URL(at.url.searchParams.get("redirect_uri") ?? "");
  url.search = new URLSearchParams({ state: at.url.searchParams.get("state") ?? "", ...answer }).toString();
  return url.href;
}

function mounted({ dependencies }: InProcess, accounts: AccountConnections): Hono<Env> {
  const app = new Hono<Env>();
  const { configuration } = dependencies.configuration();
  const connectors = createConnectors(configuration.connectors, dependencies);
  app.use(requestContext(dependencies), securityHeaders(configuration.publicURL));
  app.onError(answerError);
  const mount = (path: string, methods: string[], endpoint: SignInEndpoint) => {
    app.use(path, forBrowsers(methods));
    app.on(methods, path, endpoint(dependencies, connectors));
  };
  mount(`${CONNECT_CALLBACK}/:connector`, ["GET"], connectCallback(accounts));
  mount(`${CONNECT}/:id`, ["GET", "POST"], connect(accounts));
  return app;
}

function playedAccounts(provider: PlayedProvider): AccountConnections {
  return {
    provider: async ({ connector, scopes }) => {
      if (provider.isDown) throw new AccountProviderError("unavailable", "it is down");
      const { resolved } = provider;
      return {
        resolved,
        authorizationURL: async ({ state, redirectURL, codeVerifier }) => {
          const query = { state, redirect_uri: redirectURL, scope: scopes.join(" "), client_id: resolved.clientID };
          const challenge: Record<string, string> = codeVerifier === undefined ? {} : { verifier: codeVerifier };
          return `${resolved.authorizationURL}?${new URLSearchParams({ ...query, ...challenge, connector })}`;
        },
        redeem: async (sent) => {
          provider.redeemed.push(sent);
          const answer = provider.answer(sent.code);
          if (answer instanceof Error) throw answer;
          return answer;
        },
      };
    },
    formerAccount: async () => provider.former,
    complete: async (request, tokens) => {
      if (provider.isStoreAway) throw new StoreUnavailableError(new Error("away"));
      provider.completed.push({ request, tokens });
    },
    isStopped: async () => false,
    discardHeld: async (_, { held }) => void provider.discarded.push(JSON.parse(atob(String(held)))),
    hold: async (_, tokens) => ({ held: btoa(JSON.stringify(tokens)) }),
    held: async (_, { held }) => JSON.parse(atob(String(held))),
    discard: async (_, tokens) => void provider.discarded.push(tokens),
  };
}
