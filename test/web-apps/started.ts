import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { WebAppConfiguration } from "../../lib/config/web-app-configuration.ts";
import { type Connector, createConnectors } from "../../lib/connectors/connectors.ts";
import { createKnownSessions, type KnownSessions } from "../../lib/directory/known-sessions.ts";
import { createOrganizationOf } from "../../lib/gateway/organization.ts";
import { anotherSignIn, askToSignIn } from "../../lib/web-apps/ask-to-sign-in.ts";
import { type Cookies, originOf } from "../../lib/web-apps/attempt.ts";
import { knownPerson } from "../../lib/web-apps/caller.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { type InProcess, ISSUER, inProcessConfiguration, startInProcess } from "../support/in-process.ts";
import { CORP } from "../support/oauth-apps.ts";
import { openBrowser, type PersonsBrowser, type Visit } from "../support/person.ts";

/** The product in this process with web apps that tell whom they know, and a real identity provider. */
export interface WebAppsStarted {
  readonly product: InProcess;
  readonly provider: IdentityProvider;
  newBrowser(): AppBrowser;
  /** How many sign-ins were stored so far. */
  stored(): number;
  /** What a request of the app's gets. */
  ask(url: string, init?: RequestInit): Promise<Response>;
  /** The same of another instance. */
  askAnother(url: string, init?: RequestInit): Promise<Response>;
  /** What the instance knows of sessions. */
  readonly sessions: KnownSessions;
  stop(): Promise<void>;
}

/** A browser that keeps each host's cookies for that host, as `__Host-` wants it. */
export interface AppBrowser extends PersonsBrowser {
  cookiesOf(host: string): Map<string, string>;
}

export function webApp(name: string, host: string | undefined, fields: Partial<WebAppConfiguration> = {}) {
  const app: WebAppConfiguration = {
    type: "proxy",
    name,
    routes: [{ ...(host !== undefined && { host }), path: host === undefined ? `/${name}` : "/" }],
    upstream: "https://upstream.example",
    stripPrefix: "",
    preserveHost: false,
    timeout: 30_000,
    maxBody: 1_000_000,
    headers: [],
    forwardAuthorization: false,
    policies: [policyOf(["corp"])],
    allowedOrigins: [],
    ...fields,
  };
  return app;
}

export function policyOf(idps: readonly string[]): WebAppConfiguration["policies"][number] {
  return { location: { kind: "prefix", path: "/" }, allowUnauthenticated: false, idps, policies: [] };
}

/** Reached on our host. */
export const PAY = `${ISSUER}/pay`;
export const PAYROLL = "https://payroll.example";
export const WIKI = "https://wiki.example";
/** People sign in for it at `other` alone, or at both. */
export const PARTNERS = "https://partners.example";
export const EITHER = "https://either.example";

export const APPS: readonly WebAppConfiguration[] = [
  webApp("pay", undefined),
  webApp("payroll", "payroll.example"),
  webApp("wiki", "wiki.example"),
  webApp("partners", "partners.example", { policies: [policyOf(["other"])] }),
  webApp("either", "either.example", { policies: [policyOf(["corp", "other"])] }),
  webApp("programs", "programs.example", { policies: [policyOf([])] }),
];

const HANDED = /^\/(?:(?:\.countersign|oauth2)\/|single-logout$)/;

export interface WebAppsOptions {
  /** Origins of further identity providers. */
  readonly elsewhere?: readonly string[];
  /** What the instance's requests to identity providers meet. */
  readonly outbound?: (send: typeof fetch) => typeof fetch;
}

export async function startWebApps(
  change: Partial<Configuration> = {},
  { elsewhere = [], outbound = (send) => send }: WebAppsOptions = {},
): Promise<WebAppsStarted> {
  const provider = await startIdentityProvider();
  await provider.register([`${ISSUER}/oauth2/callback`]);
  const { client, wellKnown: wellKnownURL } = provider;
  const [clientID, clientSecret] = [client.id, client.secret];
  const corp = { ...CORP, wellKnownURL, clientID, clientSecret, scopes: ["openid", "profile", "email", "corp"] };
  let configuration: Configuration = {
    ...inProcessConfiguration,
    ...{ connectors: [corp, { ...corp, name: "other" }], apps: APPS, ...change },
  };
  let stored = 0;
  const counted = (dependencies: Dependencies): Dependencies => {
    const { stores } = dependencies;
    const begin: typeof stores.grants.begin = (interaction) => {
      stored += 1;
      return stores.grants.begin(interaction);
    };
    const met: Dependencies["outbound"] = (tls) => outbound(dependencies.outbound(tls));
    return { ...dependencies, outbound: met, stores: { ...stores, grants: { ...stores.grants, begin } } };
  };
  const product = await startInProcess({ configuration, adapt: counted });
  product.clock.set(Date.now());
  const sessions = product.dependencies.knownSessions;
  const ask = appsOf(product.dependencies, sessions);
  const send = (url: URL, init: RequestInit): Promise<Response> => {
    if (url.origin === provider.issuer || elsewhere.includes(url.origin)) return fetch(url, init);
    return HANDED.test(url.pathname) ? product.send(url.href, init) : ask(url.href, init);
  };
  configuration = product.dependencies.configuration().configuration;
  const hosts = [
    ISSUER,
    provider.issuer,
    ...elsewhere,
    ...APPS.flatMap(({ routes }) => routes.map((one) => originOf(one, configuration))),
  ];
  return {
    product,
    provider,
    stored: () => stored,
    ask,
    askAnother: appsOf(product.dependencies, createKnownSessions(product.dependencies, { memory: 0 })),
    sessions,
    newBrowser: () => openAppBrowser(({ origin }) => hosts.includes(origin), send),
    stop: async () => {
      await product.close();
      await provider.stop();
    },
  };
}

/** Web apps as far as they know people: says who asks, or asks who it is. */
function appsOf(dependencies: Dependencies, knownSessions: KnownSessions): WebAppsStarted["ask"] {
  const organizationOf = createOrganizationOf(dependencies);
  const context = { requestId: "request", logger: dependencies.logger, waitUntil: () => undefined };
  let connectors: readonly Connector[] = [];
  return async (text, init = {}) => {
    const url = new URL(text);
    const { configuration } = dependencies.configuration();
    const isFirst = connectors.length === 0;
    connectors = createConnectors(configuration.connectors, dependencies, connectors);
    // An instance knows them before the first request, and still when they are away.
    if (isFirst) await Promise.all(connectors.map(({ metadata }) => metadata.get(() => undefined)));
    const ports = { ...dependencies, connectors, knownSessions, organizationOf };
    const apps = configuration.apps.filter((one): one is WebAppConfiguration => one.type === "proxy");
    const routed = apps.flatMap((app) => app.routes.map((route) => ({ app, route })));
    const found = routed.find(
      ({ route }) => originOf(route, configuration) === url.origin && url.pathname.startsWith(route.path),
    );
    if (found === undefined) return new Response("no app", { status: 404 });
    const { app, route } = found;
    const [policy] = app.policies;
    if (policy === undefined) throw new Error("the app has no policy");
    const headers = new Headers(init.headers);
    const cookies = cookiesIn(headers.get("cookie") ?? "");
    const person = await knownPerson(cookies, url.hostname, policy, app, ports, context);
    const asked = { route, path: url.pathname, query: url.search };
    if (person?.kind === "person") {
      const another = await anotherSignIn(asked, app, policy, ports);
      return Response.json({ ...person, ...(another !== undefined && { another }) });
    }
    if (person?.kind === "stopped") return new Response(`stopped ${person.stop.reason}`, { status: 403 });
    const request = { ...asked, headers, cookies, method: init.method ?? "GET", requestId: "request" };
    return askToSignIn(request, app, policy, ports);
  };
}

function cookiesIn(header: string): Cookies {
  return Object.fromEntries(
    header
      .split("; ")
      .filter((pair) => pair !== "")
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
}

function openAppBrowser(
  isWithin: (url: URL) => boolean,
  send: (url: URL, init: RequestInit) => Promise<Response>,
): AppBrowser {
  const jars = new Map<string, Map<string, string>>();
  const shared: { domain: string; name: string; value: string }[] = [];
  const cookiesOf = (host: string) => {
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const browser = openBrowser(isWithin, async (url, init) => {
    const jar = cookiesOf(url.host);
    const ofDomains = shared.filter(({ domain }) => `.${url.hostname}`.endsWith(`.${domain}`));
    const pairs = [...ofDomains.map(({ name, value }) => [name, value] as const), ...jar];
    const cookie = pairs.flatMap(([key, value]) => sentCookie(key, value, url)).join("; ");
    const given = new Headers(init.headers);
    given.delete("cookie");
    if (cookie !== "") given.set("cookie", cookie);
    if (!given.has("Sec-Fetch-Mode")) given.set("Sec-Fetch-Mode", "navigate");
    const response = await send(url, { ...init, headers: Object.fromEntries(given) });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const name = pair.slice(0, pair.indexOf("="));
      const [, domain] = /; domain=([^;]+)/i.exec(line) ?? [];
      const isGone = line.includes("Max-Age=0") || pair.endsWith("=");
      if (domain !== undefined) {
        const at = shared.findIndex((one) => one.name === name && one.domain === domain);
        if (at !== -1) shared.splice(at, 1);
        if (!isGone) shared.push({ domain, name, value: pair.slice(name.length + 1) });
        continue;
      }
      const path = /; path=(\/[^;]+)/i.exec(line)?.[1] ?? "";
      if (isGone) jar.delete(name + path);
      else jar.set(name + path, pair.slice(name.length + 1));
    }
    const headers = new Headers(response.headers);
    headers.delete("set-cookie");
    return new Response(response.body, { status: response.status, headers });
  });
  return { ...browser, cookiesOf };
}

/** Cookies of a path of their own are kept with it: `name/path`. */
function sentCookie(key: string, value: string, { pathname }: URL): readonly string[] {
  const [name = ""] = key.split("/");
  return pathname.startsWith(key.slice(name.length)) ? [`${name}=${value}`] : [];
}

/** Signs in at the provider's page. */
export function signIn(browser: PersonsBrowser, page: Visit, login = "alice"): Promise<Visit> {
  return browser.press(page, "Sign in", { login });
}
