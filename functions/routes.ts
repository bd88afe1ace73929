import { Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import type { Dependencies } from "../lib/application/dependencies.ts";
import type { Gateway } from "../lib/application/gateway.ts";
import { createInstance, type Instance } from "../lib/application/instance.ts";
import { signInPaths } from "../lib/authorization-server/sign-in-paths.ts";
import type { ConfigurationSnapshot } from "../lib/config/configuration.ts";
import {
  APP_LOGIN,
  APP_SIGNED_IN,
  CONNECT,
  CONNECT_CALLBACK,
  CONNECT_KEYS,
  CONNECT_METADATA,
  consentEndpoint,
  mcpEndpoints,
  SIGNALS,
  signInEndpoints,
} from "../lib/config/endpoints.ts";
import { acceptsRegistrations, offersCodeFlow, offersOpenId, signsInForWebApps } from "../lib/config/oauth-features.ts";
import { createAccountConnections } from "../lib/connecting/account-connections.ts";
import type { Connector } from "../lib/connectors/connectors.ts";
import { deletionSweep } from "../lib/directory/delete-organization.ts";
import { resourceMetadataPaths } from "../lib/gateway/protected-resource-metadata.ts";
import { type Maintenance, refreshDue } from "../lib/health/component.ts";
import { createStoreProbe } from "../lib/health/store-probe.ts";
import { stackOf } from "../lib/logging/cause.ts";
import { hostOfUrl } from "../lib/protocol/http/request-target.ts";
import { oauthMetadataPath, openIdMetadataPath } from "../lib/protocol/http/well-known.ts";
import type { ConnectionRecord } from "../lib/stores/connections.ts";
import { alertingStores } from "../lib/webhooks/alerts.ts";
import { authorize, noAuthorization } from "./authorization-server/authorize.ts";
import { callback } from "./authorization-server/callback.ts";
import { consent } from "./authorization-server/consent.ts";
import { discovery } from "./authorization-server/discovery.ts";
import { afterSignOut, endSession, singleLogout } from "./authorization-server/end-session.ts";
import { introspection } from "./authorization-server/introspection.ts";
import { jwks } from "./authorization-server/jwks.ts";
import { registration } from "./authorization-server/registration.ts";
import { revocation } from "./authorization-server/revocation.ts";
import { token } from "./authorization-server/token.ts";
import { userinfo } from "./authorization-server/userinfo.ts";
import { connectClientKeys, connectClientMetadata } from "./connections/client-metadata.ts";
import { connect, connectCallback } from "./connections/connect.ts";
import { consolePages, toConsole } from "./console/console.ts";
import type { Env, HostRequest } from "./env.ts";
import { rememberingLiteralPaths } from "./literal-paths.ts";
import { mountManagement } from "./management-routes.ts";
import { accessLog } from "./middleware/access-log.ts";
import { forBrowsers, type SignInEndpoint } from "./middleware/browser.ts";
import { publicCors } from "./middleware/cors.ts";
import { answerError, answerMethodNotAllowed, answerNotFound, onlyErrors } from "./middleware/errors.ts";
import { limitTokenRequests } from "./middleware/limits.ts";
import { requestContext } from "./middleware/request-context.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { measureRequests } from "./middleware/telemetry.ts";
import { health } from "./orchestrator/health.ts";
import { mcpSse, mcpSseMessages } from "./orchestrator/mcp-sse.ts";
import { mcpStream } from "./orchestrator/mcp-stream.ts";
import { protectedResourceMetadata } from "./orchestrator/protected-resource-metadata.ts";
import { limitSignals, pushedSignals } from "./signals/push.ts";
import { appLogin, appSignedIn, appSignIn } from "./web-apps/sign-in.ts";
import { isOfWebApp as isOfApp, ownPaths, webRequests } from "./web-apps/web-apps.ts";

/** Answers one request; never rejects. */
export type Application = (request: Request, host: HostRequest) => Promise<Response>;

/** What the product depends on elsewhere is brought up, and up to date, by whoever serves it (D65). */
export interface Maintained {
  /** Whether a request for a target at a host, if it asks for a WebSocket, is for a web app. */
  readonly isOfWebApp: (host: string, target: string) => boolean;
  /** Begins what is due; cheap when nothing is. To be called now and then, or with each request. */
  readonly refresh: (maintenance: Maintenance) => void;
  /** To be awaited with each request where nothing runs between requests. Never rejects. */
  readonly upToDate: (maintenance: Pick<Maintenance, "waitUntil">) => Promise<void>;
  /** Tells providers of tokens that serve nobody: of these, or of all that are due. Never rejects. False: no app has such tokens. */
  readonly revoke: (records?: readonly ConnectionRecord[]) => Promise<boolean>;
  /** Fetches security events that are due to be fetched. Never rejects. */
  readonly poll: (maintenance: Pick<Maintenance, "waitUntil">) => Promise<void>;
  /** Bytes of the longest body that some web app takes; 0: there are none. */
  readonly longestBody: () => number;
}

/** The product as one function. Routes are built anew when the configuration's revision changes (D33). */
export function application(given: Dependencies): Application & Maintained {
  const webhooks = () => served?.instance.webhooks;
  const dependencies: Dependencies = { ...given, stores: alertingStores({ ...given, webhooks }) };
  const store = createStoreProbe(dependencies);
  const serve = (snapshot: ConfigurationSnapshot, former?: Instance) => {
    const instance = createInstance(snapshot, dependencies, store, former);
    const [routes, webRoutes] = [buildRoutes(instance, dependencies), buildWebRoutes(instance, dependencies)];
    return { instance, routes, webRoutes };
  };
  let served: ReturnType<typeof serve> | undefined;
  let revision = -1;
  const current = () => {
    const snapshot = dependencies.configuration();
    if (served !== undefined && snapshot.revision === revision) return served;
    revision = snapshot.revision;
    served = served === undefined ? serve(snapshot) : orFormer(served, () => serve(snapshot, served?.instance));
    return served;
  };
  const orFormer = <Served>(former: Served, serveNew: () => Served): Served => {
    try {
      return serveNew();
    } catch (error) {
      dependencies.logger.error("the configuration cannot be served; the former one stays in use", {
        cause: stackOf(error),
      });
      return former;
    }
  };
  const answer: Application = async (request, host) => {
    const { instance, routes, webRoutes } = current();
    const isForApp = instance.webGateway?.isAppHost(hostOfUrl(request.url)) ?? false;
    return (isForApp ? webRoutes : routes).fetch(request, { host });
  };
  const isOfWebApp: Maintained["isOfWebApp"] = (host, target) => {
    const { instance, routes, webRoutes } = current();
    const { webGateway } = instance;
    if (webGateway === undefined) return false;
    const isOwnPath = ownPaths(webGateway.isAppHost(host) ? webRoutes : routes);
    return isOfApp(webGateway, isOwnPath, { host, target });
  };
  const sweepDeletions = deletionSweep(dependencies);
  const refreshAll = (maintenance: Maintenance): void => {
    dependencies.refreshConfiguration?.(maintenance);
    const { components } = current().instance;
    refreshDue(components, maintenance);
    const counted = dependencies.refusals.flushDue();
    if (counted !== undefined) maintenance.waitUntil(counted);
    const swept = sweepDeletions();
    if (swept !== undefined) maintenance.waitUntil(swept);
  };
  const upToDate: Maintained["upToDate"] = async ({ waitUntil }) => dependencies.gatewaySettings?.upToDate(waitUntil);
  const longestBody = () => current().instance.webGateway?.longestBody ?? 0;
  const revoke: Maintained["revoke"] = async (records) => {
    const { accounts } = current().instance;
    await accounts?.connections.revoke(records);
    return accounts !== undefined;
  };
  const poll: Maintained["poll"] = async ({ waitUntil }) =>
    dependencies.logScope.run({}, async () => current().instance.signals?.poll(waitUntil), waitUntil);
  return Object.assign(answer, { refresh: refreshAll, upToDate, revoke, poll, longestBody, isOfWebApp });
}

/** What every request has in common, whatever it asks for. */
function newRoutes({ configuration }: Pick<Instance, "configuration">, dependencies: Dependencies): Hono<Env> {
  const app = new Hono<Env>({ router: rememberingLiteralPaths() });
  if (dependencies.telemetry !== undefined) app.use(measureRequests(dependencies.telemetry, configuration));
  app.use(requestContext(dependencies), accessLog(dependencies), securityHeaders(configuration.publicURL));
  app.use(onlyErrors);
  app.use(methodNotAllowed<Env>({ app, onMethodNotAllowed: answerMethodNotAllowed }));
  app.onError(answerError);
  app.notFound(answerNotFound);
  return app;
}

/** On the instance's own host: what none of its routes takes is for web apps. */
function buildRoutes(instance: Instance, dependencies: Dependencies): Hono<Env> {
  const { configuration, connectors, gateway, limits, health: check, webGateway, accounts, signals } = instance;
  const app = newRoutes(instance, dependencies);
  app.get(configuration.health.location, health(check));
  mountAuthorizationServer(app, { configuration, connectors, limits }, dependencies);
  const isForWebApps = signsInForWebApps(configuration);
  const signsPeopleIn = offersCodeFlow(configuration) || isForWebApps || accounts !== undefined;
  if (signsPeopleIn) mountSignIn(app, { configuration, connectors }, dependencies);
  if (accounts !== undefined) mountConnecting(app, connectors, accounts, dependencies);
  if (isForWebApps) mountWebAppSignIn(app, { configuration, connectors }, dependencies);
  if (signals !== undefined)
    app.post(`${SIGNALS}/:connector`, limitSignals(dependencies.clock), pushedSignals(signals));
  if (gateway !== undefined) mountGateway(app, gateway);
  const managed = { configuration, connectors, gateway, webGateway, accounts, limits, health: check };
  mountManagement(app, managed, dependencies);
  const isRootTaken = webGateway?.find(new URL(configuration.publicURL).host, "/") !== undefined;
  if (configuration.console.enabled) mountConsole(app, isRootTaken, dependencies);
  if (webGateway !== undefined) {
    const carried = webRequests(webGateway, ownPaths(app));
    app.notFound((c) => carried(c, answerNotFound));
  }
  return app;
}

/** On the hosts that are for web apps alone: nothing else of the instance is there, but for the ends of sign-ins. */
function buildWebRoutes(instance: Instance, dependencies: Dependencies): Hono<Env> {
  const { configuration, connectors, webGateway } = instance;
  const app = newRoutes(instance, dependencies);
  if (webGateway === undefined) return app;
  if (signsInForWebApps(configuration)) mountWebAppSignIn(app, { configuration, connectors }, dependencies);
  const carried = webRequests(webGateway, ownPaths(app));
  app.notFound((c) => carried(c, answerNotFound));
  return app;
}

function mountAuthorizationServer(
  app: Hono<Env>,
  { configuration, connectors, limits }: Pick<Instance, "configuration" | "connectors" | "limits">,
  dependencies: Dependencies,
): void {
  if (configuration.oidcProvider === undefined) return;
  const { endpoints, issuer } = configuration.oidcProvider;
  const metadata = discovery(dependencies);
  // Clients try both, whichever of them the configuration names.
  for (const path of new Set([pathOf(endpoints.wellKnown), openIdMetadataPath(issuer), oauthMetadataPath(issuer)])) {
    app.use(path, publicCors(["GET"]));
    app.get(path, metadata);
  }
  if (offersCodeFlow(configuration)) {
    const mount = mountFor(app, connectors, dependencies);
    mount(pathOf(endpoints.authorize), ["GET", "POST"], authorize);
    mount(pathOf(consentEndpoint(configuration.oidcProvider)), ["GET", "POST"], consent);
  } else app.on(["GET", "POST"], pathOf(endpoints.authorize), noAuthorization(dependencies));
  app.use(pathOf(endpoints.jwks), publicCors(["GET"]));
  app.get(pathOf(endpoints.jwks), jwks(dependencies));
  app.use(pathOf(endpoints.token), publicCors(["POST"]));
  app.use(pathOf(endpoints.token), limitTokenRequests(limits, dependencies.clock));
  app.post(pathOf(endpoints.token), token(dependencies, connectors));
  app.post(pathOf(endpoints.introspect), introspection(dependencies));
  app.use(pathOf(endpoints.revoke), publicCors(["POST"]));
  app.post(pathOf(endpoints.revoke), revocation(dependencies));
  if (offersOpenId(configuration)) {
    app.use(pathOf(endpoints.userinfo), publicCors(["GET", "POST"]));
    app.on(["GET", "POST"], pathOf(endpoints.userinfo), userinfo(dependencies));
  }
  if (acceptsRegistrations(configuration)) {
    app.use(pathOf(endpoints.registration), publicCors(["POST"]));
    app.post(pathOf(endpoints.registration), registration(dependencies));
  }
}

/** Where browsers come back from connectors and sign out, whoever they sign in for. */
function mountSignIn(
  app: Hono<Env>,
  { configuration, connectors }: Pick<Instance, "configuration" | "connectors">,
  dependencies: Dependencies,
): void {
  const mount = mountFor(app, connectors, dependencies);
  const paths = signInPaths(configuration);
  for (const path of paths.callbacks) mount(path, ["GET"], callback);
  mount(paths.endSession, ["GET", "POST"], endSession);
  if (configuration.singleLogout !== undefined) {
    mount(pathOf(configuration.singleLogout.url), ["GET", "POST"], singleLogout(configuration.singleLogout));
  }
  for (const path of paths.signedOut) mount(path, ["GET"], afterSignOut);
}

/** Where people connect accounts at providers. */
function mountConnecting(
  app: Hono<Env>,
  connectors: readonly Connector[],
  accounts: NonNullable<Instance["accounts"]>,
  dependencies: Dependencies,
): void {
  const mount = mountFor(app, connectors, dependencies);
  const connected = createAccountConnections(accounts, dependencies);
  app.get(`${CONNECT_METADATA}/:connector`, connectClientMetadata(accounts.providers)(dependencies));
  app.get(`${CONNECT_KEYS}/:connector`, connectClientKeys(accounts.providers)(dependencies));
  mount(`${CONNECT_CALLBACK}/:connector`, ["GET"], connectCallback(connected));
  mount(`${CONNECT}/:id`, ["GET", "POST"], connect(connected));
}

/** Mounts endpoints for people's browsers. */
function mountFor(app: Hono<Env>, connectors: readonly Connector[], dependencies: Dependencies) {
  return (path: string, methods: string[], endpoint: SignInEndpoint): void => {
    app.use(path, forBrowsers(methods));
    app.on(methods, path, endpoint(dependencies, connectors));
  };
}

/** On every host, as web apps have hosts of their own. */
function mountWebAppSignIn(
  app: Hono<Env>,
  { configuration, connectors }: Pick<Instance, "configuration" | "connectors">,
  dependencies: Dependencies,
): void {
  const mount = mountFor(app, connectors, dependencies);
  mount(pathOf(signInEndpoints(configuration).appSignIn), ["GET", "POST"], appSignIn);
  mount(APP_LOGIN, ["GET"], appLogin);
  mount(APP_SIGNED_IN, ["GET"], appSignedIn);
}

function mountGateway(app: Hono<Env>, gateway: Gateway): void {
  const { mcpProvider } = gateway;
  for (const endpoint of mcpProvider.oauth.enabled ? mcpEndpoints(mcpProvider) : []) {
    for (const path of resourceMetadataPaths(endpoint, mcpProvider)) {
      app.use(path, publicCors(["GET"]));
      app.get(path, protectedResourceMetadata(endpoint, gateway));
    }
  }
  const { stream, sse } = mcpProvider;
  if (stream !== undefined) app.all(stream.path, mcpStream(stream, gateway));
  if (sse !== undefined) {
    app.all(sse.path, mcpSse(sse, gateway));
    app.all(sse.messagePath, mcpSseMessages(sse, gateway));
  }
}

/**
 * Last, so that whatever is configured to be at one of these paths is there.
 *
 * @param isRootTaken a web app is at `/`
 */
function mountConsole(app: Hono<Env>, isRootTaken: boolean, dependencies: Dependencies): void {
  if (!isRootTaken) app.get("/", toConsole);
  app.get("/console", toConsole);
  app.get("/console/*", consolePages(dependencies));
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
