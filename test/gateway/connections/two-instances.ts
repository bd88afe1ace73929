import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { application } from "../../../functions/routes.ts";
import { openSqlite } from "../../../infra/node/sqlite/open.ts";
import type { Configuration, OAuthConnectorConfiguration, OAuthEndpoints } from "../../../lib/config/configuration.ts";
import type { UserTokenConfiguration } from "../../../lib/config/user-token-configuration.ts";
import { createPersonConnections } from "../../../lib/connections/connections.ts";
import { createProviderResolver } from "../../../lib/connections/discover.ts";
import { createVault } from "../../../lib/connections/vault.ts";
import { base64url } from "../../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import type { ConnectionKey, ConnectionRecord } from "../../../lib/stores/connections.ts";
import { sqlStores } from "../../../lib/stores/sql/stores.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import { answerTo } from "../../behaviour/mcp/events.ts";
import { modern, modernHeaders } from "../../behaviour/mcp/stateless-fixture.ts";
import { HUB, hubAt } from "../../connecting/started.ts";
import type { TornWire } from "../../connections/support/torn-wire.ts";
import { startIdentityProvider } from "../../support/identity-provider.ts";
import { type InProcess, ISSUER, PROVIDER, startInProcess } from "../../support/in-process.ts";
import { AGENT } from "../../support/oauth-apps.ts";
import { openBrowser, type PersonsBrowser, type Visit } from "../../support/person.ts";
import { echoApp } from "../credentials/echoing-api.ts";
import { personToken } from "../credentials/own-exchange.ts";
import { RESOURCE, trusted } from "../started.ts";
import type { Answer } from "./connecting-gateway.ts";

/** Milliseconds between the clocks of the two. */
export const APART = 20_000;
/** Seconds that access tokens of the provider live. */
export const LIFETIME = 300;
const CALLBACK = `${ISSUER}/connect/callback/hub`;

/** A real provider of accounts that rotates refresh tokens. */
export interface RotatingProvider {
  readonly connector: OAuthConnectorConfiguration & { readonly endpoints: StaticEndpoints };
  /** Of a connection. */
  readonly scopes: readonly string[];
  /** What somebody does on its page to sign in at; resolves to where it sends them back to. */
  signIn(browser: PersonsBrowser, page: Visit, person: string): Promise<Visit>;
  stop(): Promise<void>;
}

export type StaticEndpoints = Extract<OAuthEndpoints, { readonly kind: "static" }>;

/** `oidc-provider`, which takes each refresh token once, and ends the grant of one that comes again. */
export async function startHub(): Promise<RotatingProvider> {
  const hub = await startIdentityProvider();
  await hub.register([CALLBACK], [], { grant_types: ["authorization_code", "refresh_token"] });
  return {
    connector: hubAt(hub),
    scopes: ["openid"],
    signIn: (browser, page, person) => browser.press(page, "Sign in", { login: person }),
    stop: hub.stop,
  };
}

/** What became of one call. */
export type CallEnd =
  /** The access token that the API was called with. */
  { readonly token: string } | { readonly refusal: string };

/** Two instances of the product over one store, before an API of people's accounts. */
export interface TwoInstances {
  readonly product: InProcess;
  /** Access tokens that reached the API before the store had them. */
  readonly early: readonly string[];
  /** Connects a person anew, by a code that the provider gives. */
  connect(person: string): Promise<void>;
  record(person: string): Promise<ConnectionRecord | undefined>;
  /** A caller for calls of the person's agent, at the first or the second instance. */
  agentOf(person: string): Promise<(instance: 0 | 1) => Promise<CallEnd>>;
  stop(): Promise<void>;
}

export async function startTwoInstances(
  provider: RotatingProvider,
  wire: TornWire,
  refresh: { readonly grace: number; readonly timeout: number },
  start: number,
): Promise<TwoInstances> {
  const api = await startApi();
  const outbound: UserTokenConfiguration = {
    ...{ type: "userToken", connector: HUB.name, scopes: provider.scopes, tools: [], perAgent: false },
  };
  const { connector } = provider;
  const vaultKeys = [base64url(new Uint8Array(32).fill(7))];
  const configuration: Partial<Configuration> = {
    mcpProvider: {
      serverName: "gateway",
      stream: {
        path: "/mcp",
        resource: RESOURCE,
        session: { headerName: "Mcp-Session-Id", allowClientTermination: true, timeout: 3_600_000 },
      },
      oauth: {
        enabled: true,
        metadataPath: "/.well-known/oauth-protected-resource",
        servers: [trusted(PROVIDER.endpoints.wellKnown, { method: "auto" })],
      },
      allowedOrigins: [],
      allowedHosts: [],
    },
    oauthConnectors: [
      { ...connector, name: HUB.name, refresh, endpoints: { ...connector.endpoints, tokenURL: wire.tokenURL } },
    ],
    apps: [AGENT, { ...(await echoApp(api.url, {})), name: "tickets", outbound }],
    vaultKeys,
  };
  const product = await startInProcess({ configuration });
  product.clock.set(start);
  const { dependencies, clock } = product;
  const organizationId = (await dependencies.stores.directory.firstOrganization())?.organizationId ?? "";
  const keyOf = (person: string): ConnectionKey => ({ organizationId, person, app: "tickets", agent: "" });
  const vault = createVault(vaultKeys, PROVIDER.region, webCryptoRandom);
  // Another connection to the database sees what is durable.
  const witness = openSqlite(product.folder);
  const seen = sqlStores(witness, clock).connections;
  const note = async (key: ConnectionKey) => {
    const record = await seen.connection(key);
    const tokens = record && (await vault.open(record.sealed, key));
    if (tokens !== undefined) api.durable.add(tokens.accessToken);
  };
  const connections: Stores["connections"] = {
    ...dependencies.stores.connections,
    settleRefresh: async (outcome, event) => {
      const isSettled = await dependencies.stores.connections.settleRefresh(outcome, event);
      await note(outcome.key);
      return isSettled;
    },
  };
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  const answers = [0, APART].map((ahead) =>
    application({
      ...{ ...dependencies, clock: { now: () => clock.now() + ahead } },
      stores: { ...dependencies.stores, connections },
    }),
  );
  const { configuration: whole } = dependencies.configuration();
  const accounts = createPersonConnections(whole, {
    ...dependencies,
    resolver: createProviderResolver(whole, dependencies),
  });
  const context = { requestId: "request_1", logger: dependencies.logger, waitUntil, remoteAddress: undefined };

  const settled = async () => void (await Promise.all(background.splice(0)));
  return {
    product,
    early: api.early,
    connect: async (person) => {
      const tokens = await redeemed(provider, wire.tokenURL, person);
      const request = {
        ...keyOf(person),
        connector: HUB.name,
        agent: AGENT.clientID,
        perAgent: false,
        scopes: provider.scopes,
      };
      const expiresAt = clock.now() + LIFETIME * 1_000;
      const { clientID = "", endpoints } = connector;
      const issuer = endpoints.issuer === undefined ? {} : { issuer: endpoints.issuer };
      const given = { ...tokens, scopes: provider.scopes, expiresAt, ...issuer, clientID };
      await accounts.complete(request, given, { ...context, authenticated: () => undefined });
      await note(keyOf(person));
    },
    record: (person) => seen.connection(keyOf(person)),
    agentOf: async (person) => {
      const { text } = await personToken(product, { subject: person, clientId: AGENT.clientID });
      const given = { name: "byDefault", arguments: {} };
      const headers = {
        ...{ authorization: `Bearer ${text}`, "content-type": "application/json" },
        ...{ accept: "application/json, text/event-stream", ...modernHeaders("tools/call", given) },
      };
      const body = JSON.stringify(modern("tools/call", given));
      return async (instance) => {
        const host = { remoteAddress: "203.0.113.1", waitUntil, target: "/mcp" };
        const response = await answers[instance]?.(new Request(RESOURCE, { method: "POST", headers, body }), host);
        const answer = (await answerTo(response as Response)) as unknown as Answer;
        const said = answer.result?.content?.[0]?.text ?? JSON.stringify(answer);
        const arrival = answer.result?.isError === true ? undefined : /"arrival":(\d+)/.exec(said)?.[1];
        return arrival === undefined ? { refusal: said } : { token: api.arrived[Number(arrival)] ?? "" };
      };
    },
    stop: async () => {
      await settled();
      witness.close();
      await product.close();
      await api.stop();
    },
  };
}

/** The API numbers the calls, and looks at once whether the store has what they carry. */
async function startApi() {
  const arrived: string[] = [];
  const durable = new Set<string>();
  const early: string[] = [];
  const server = createServer(({ headers: { authorization = "" } }, response) => {
    const token = authorization.replace("Bearer ", "");
    if (!durable.has(token)) early.push(token);
    const arrival = arrived.push(token) - 1;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ arrival }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ arrived, durable, early },
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A new grant of the person, from the page to sign in at to the pair. */
async function redeemed({ connector, scopes, signIn }: RotatingProvider, tokenURL: string, person: string) {
  const { endpoints, clientID = "", clientSecret = "" } = connector;
  const verifier = base64url(webCryptoRandom.bytes(32));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const asked = {
    ...{ client_id: clientID, redirect_uri: CALLBACK, response_type: "code", scope: scopes.join(" ") },
    ...{ code_challenge: base64url(new Uint8Array(digest)), code_challenge_method: "S256" },
  };
  const { origin } = new URL(endpoints.authorizationURL);
  const browser = openBrowser((url) => url.origin === origin);
  const page = await browser.open(`${endpoints.authorizationURL}?${new URLSearchParams(asked)}`);
  const { url } = await signIn(browser, page, person);
  const code = url.searchParams.get("code") ?? "";
  const form = { grant_type: "authorization_code", code, redirect_uri: CALLBACK, code_verifier: verifier };
  const authorization = `Basic ${btoa([clientID, clientSecret].map(encodeURIComponent).join(":"))}`;
  const response = await fetch(tokenURL, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { authorization },
  });
  const answer = (await response.json()) as { access_token: string; refresh_token: string };
  if (response.status !== 200) throw new Error(`the code was not redeemed: ${JSON.stringify(answer)}`);
  return { accessToken: answer.access_token, refreshToken: answer.refresh_token };
}
