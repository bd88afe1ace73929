import { createHash } from "node:crypto";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { OidcAppConfiguration } from "../../../lib/config/app-configuration.ts";
import type { OidcProviderConfiguration, SingleLogoutConfiguration } from "../../../lib/config/configuration.ts";
import type { Branding } from "../../../lib/pages/page.ts";
import { NO_REGISTRATION } from "../../support/configuration.ts";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider.ts";
import { type InProcess, ISSUER, PROVIDER, startInProcess } from "../../support/in-process.ts";
import { AGENT, CORP, GATEWAY, REDIRECT } from "../../support/oauth-apps.ts";
import { openBrowser, type PersonsBrowser, type Visit } from "../../support/person.ts";

/** The product in this process, with a real identity provider that people sign in at. */
export interface SignInStarted {
  readonly product: InProcess;
  readonly provider: IdentityProvider;
  /** @param language its `Accept-Language`; none unless stated */
  newBrowser(language?: string): PersonsBrowser;
  stop(): Promise<void>;
}

export interface SignInOptions {
  readonly apps?: readonly OidcAppConfiguration[];
  readonly oidcProvider?: Partial<OidcProviderConfiguration>;
  /** Also a second connector, at the same provider. */
  readonly hasTwoConnectors?: boolean;
  readonly connector?: Partial<typeof CORP>;
  /** Of our registration at the provider. */
  readonly registration?: Readonly<Record<string, unknown>>;
  readonly singleLogout?: SingleLogoutConfiguration;
  readonly branding?: Branding;
  readonly adapt?: (dependencies: Dependencies) => Dependencies;
}

/** Where our pages are. */
export const AUTHORIZE = `${ISSUER}/oauth2/authorize`;
export const SIGNED_OUT = `${ISSUER}/signed-out`;

export async function startSignIn(options: SignInOptions = {}): Promise<SignInStarted> {
  const provider = await startIdentityProvider();
  await provider.register([PROVIDER.endpoints.callback], [SIGNED_OUT], options.registration);
  const { client, wellKnown: wellKnownURL } = provider;
  const corp = {
    ...CORP,
    wellKnownURL,
    clientID: client.id,
    clientSecret: client.secret,
    scopes: ["openid", "profile", "email", "corp"],
    ...options.connector,
  };
  const product = await startInProcess({
    configuration: {
      connectors: [corp, ...(options.hasTwoConnectors ? [{ ...corp, name: "other" }] : [])],
      apps: options.apps ?? [AGENT],
      oidcProvider: { ...PROVIDER, ...options.oidcProvider },
      ...(options.branding !== undefined && { branding: options.branding }),
      ...(options.singleLogout !== undefined && { singleLogout: options.singleLogout }),
    },
    ...(options.adapt !== undefined && { adapt: options.adapt }),
  });
  product.clock.set(Date.now());
  const send = (url: URL, init: RequestInit) =>
    url.origin === ISSUER ? product.send(url.pathname + url.search, init) : fetch(url, init);
  return {
    product,
    provider,
    newBrowser: (language) =>
      openBrowser(({ origin }) => origin === ISSUER || origin === provider.issuer, send, language),
    stop: async () => {
      await product.close();
      await provider.stop();
    },
  };
}

export const VERIFIER = "a-code-verifier-of-forty-three-characters-or-more";
export const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

export type Changes = Readonly<Record<string, string | undefined>>;

/** The address of a correct authorization request by the agent, except for the changes; undefined leaves one out. */
export function authorizationURL(changes: Changes = {}): string {
  const parameters: Changes = {
    response_type: "code",
    client_id: AGENT.clientID,
    redirect_uri: REDIRECT,
    scope: "openid profile tools:read",
    resource: GATEWAY,
    state: "the-state",
    nonce: "the-nonce",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return `${AUTHORIZE}?${query}`;
}

/** Signs in at the provider's page. */
export function signIn(browser: PersonsBrowser, page: Visit, login = "alice"): Promise<Visit> {
  return browser.press(page, "Sign in", { login });
}

/** From the request to the answer at the client: signs in and allows, as pages ask. */
export async function walk(browser: PersonsBrowser, url: string, login = "alice"): Promise<URL> {
  let visit = await browser.open(url);
  for (let pages = 0; visit.response !== undefined; pages++) {
    if (pages === 4) throw new Error(`one page after the other: ${visit.way.join(" → ")}`);
    if (visit.html.includes("Sign in at Corp")) visit = await signIn(browser, visit, login);
    else visit = await browser.press(visit, "Allow");
  }
  return visit.url;
}

/** Redeems the code of an answer at the token endpoint, as the agent. */
export async function redeem(product: InProcess, answer: URL, changes: Changes = {}): Promise<Response> {
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code: answer.searchParams.get("code") ?? "",
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    client_id: AGENT.clientID,
    client_secret: AGENT.secrets[0] as string,
  });
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) form.delete(name);
    else form.set(name, value);
  }
  return product.send("/oauth2/token", {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: form.toString(),
  });
}

/** What clients that register themselves get. */
export const DYNAMIC_CLIENTS: OidcProviderConfiguration["registration"] = {
  ...NO_REGISTRATION,
  dynamic: true,
  connectors: ["corp"],
  allowedAudiences: [GATEWAY],
  scopes: ["openid", "profile", "tools:read", "tools:write"],
};

/** A client that registers itself over HTTP (RFC 7591); resolves to its id. */
export async function registerDynamicClient(
  { product }: SignInStarted,
  redirect: string,
  name = "A stranger",
): Promise<string> {
  const answer = await product.send("/oauth2/register", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      client_name: name,
      redirect_uris: [redirect],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    }),
  });
  return ((await answer.json()) as { client_id: string }).client_id;
}
