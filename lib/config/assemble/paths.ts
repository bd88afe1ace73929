import { oauthMetadataPath, openIdMetadataPath, resourceMetadataPath } from "../../protocol/http/well-known.ts";
import type {
  Configuration,
  McpProviderConfiguration,
  OidcProviderConfiguration,
  SingleLogoutConfiguration,
} from "../configuration.ts";
import {
  APP_LOGIN,
  APP_SIGNED_IN,
  CONNECT,
  consentEndpoint,
  mcpEndpoints,
  SIGNALS,
  signInEndpoints,
} from "../endpoints.ts";
import { connectsAccounts, signsInForWebApps } from "../oauth-features.ts";
import type { Path } from "../path.ts";
import type { Problem } from "../rules/rule.ts";
import type { Shown } from "./context.ts";
import { endpointKey } from "./oidc-provider.ts";

interface ConfiguredPath {
  readonly path: string;
  readonly key: Path;
  /** Further keys that the path can come from. */
  readonly otherKeys?: readonly Path[];
  /** What the path belongs to: one document may have several paths, and they may be equal. */
  readonly owner: string;
}

type FixedPath = Pick<ConfiguredPath, "path" | "owner">;

const TRANSPORTS = ["mcpProvider", "transports"] as const;
const SERVER_METADATA = "the authorization server metadata (RFC 8414)";
const RESOURCE_METADATA = "the protected resource metadata (RFC 9728)";

/**
 * Two endpoints on one path would hide each other, and the management API owns everything below its own. So does the
 * Console, whose pages could not take back what hides them; only `health` may be there, which hides one answer alone.
 */
export function pathProblems(configuration: Configuration, shown: Shown): readonly Problem[] {
  const owners = new Map(fixedPaths(configuration).map(({ path, owner }) => [path, { owner, name: owner }]));
  const problems: Problem[] = [];
  for (const { key, otherKeys = [], path, owner } of configuredPaths(configuration)) {
    const known = owners.get(path);
    const named = [key, ...otherKeys].every((one) => shown(one, path) === path) ? path : "its path";
    if (known !== undefined && known.owner !== owner) {
      problems.push({ path: key, message: `${named} belongs to ${known.name}; accepted: a path of its own` });
    } else if (configuration.console.enabled && `${path}/`.startsWith("/api/v1/")) {
      problems.push({
        path: key,
        message: `${named} belongs to the management API; accepted: a path outside of /api/v1`,
      });
    } else if (configuration.console.enabled && owner !== "health" && `${path}/`.startsWith("/console/")) {
      problems.push({ path: key, message: `${named} belongs to the Console; accepted: a path outside of /console` });
    } else if (connectsAccounts(configuration) && `${path}/`.startsWith(`${CONNECT}/`)) {
      const message = `${named} belongs to connecting accounts; accepted: a path outside of ${CONNECT}`;
      problems.push({ path: key, message });
    } else if (configuration.signals.length > 0 && `${path}/`.startsWith(`${SIGNALS}/`)) {
      const message = `${named} belongs to security events; accepted: a path outside of ${SIGNALS}`;
      problems.push({ path: key, message });
    }
    owners.set(path, { owner, name: key.join(".") });
  }
  return problems;
}

/** What belongs to this instance itself whatever apps there are: to whom, by path. */
export function ownPaths(configuration: Configuration): ReadonlyMap<string, string> {
  return new Map([
    ...fixedPaths(configuration).map(({ path, owner }) => [path, owner] as const),
    ...configuredPaths(configuration).map(({ path, owner }) => [path, owner] as const),
  ]);
}

/** Where standards want documents, and where people sign in for web apps, whatever is configured. */
function fixedPaths(configuration: Configuration): readonly FixedPath[] {
  const { oidcProvider, mcpProvider } = configuration;
  const paths: FixedPath[] = [];
  if (signsInForWebApps(configuration)) {
    const { appSignIn, callback, endSession } = signInEndpoints(configuration);
    // Of an authorization server they are configured paths.
    const own = oidcProvider === undefined ? [appSignIn, callback, endSession] : [appSignIn];
    for (const path of [...own.map((url) => new URL(url).pathname), APP_LOGIN, APP_SIGNED_IN]) {
      paths.push({ path, owner: "signing in for web apps" });
    }
  }
  if (oidcProvider !== undefined) {
    paths.push({ path: oauthMetadataPath(oidcProvider.issuer), owner: SERVER_METADATA });
    paths.push({ path: openIdMetadataPath(oidcProvider.issuer), owner: SERVER_METADATA });
    paths.push({ path: new URL(consentEndpoint(oidcProvider)).pathname, owner: "the consent page" });
  }
  if (mcpProvider?.oauth.enabled) {
    for (const { path } of mcpEndpoints(mcpProvider)) {
      paths.push({ path: resourceMetadataPath(path), owner: RESOURCE_METADATA });
    }
  }
  return paths;
}

function configuredPaths({
  health,
  oidcProvider,
  mcpProvider,
  singleLogout,
}: Configuration): readonly ConfiguredPath[] {
  return [
    { key: ["health", "location"], path: health.location, owner: "health" },
    ...(singleLogout === undefined ? [] : [singleLogoutPath(singleLogout)]),
    ...(oidcProvider === undefined ? [] : providerPaths(oidcProvider)),
    ...(mcpProvider !== undefined && mcpEndpoints(mcpProvider).length > 0 ? gatewayPaths(mcpProvider) : []),
  ];
}

function singleLogoutPath({ url }: SingleLogoutConfiguration): ConfiguredPath {
  return { key: ["singleLogout", "logoutURL"], path: new URL(url).pathname, owner: "single logout" };
}

function providerPaths({ endpoints }: OidcProviderConfiguration): readonly ConfiguredPath[] {
  return Object.entries(endpoints).map(([name, url]) => ({
    key: endpointKey(name as keyof typeof endpoints),
    otherKeys: [["oidcProvider", "discovery", "issuer"]],
    path: new URL(url).pathname,
    owner: name === "wellKnown" ? SERVER_METADATA : name,
  }));
}

function gatewayPaths({ stream, sse, oauth }: McpProviderConfiguration): readonly ConfiguredPath[] {
  const paths: ConfiguredPath[] = [];
  if (stream !== undefined) {
    const key = [...TRANSPORTS, "stream"];
    paths.push({
      key: [...key, "path"],
      otherKeys: [[...key, "endpointPath"]],
      path: stream.path,
      owner: "stream",
    });
  }
  if (sse !== undefined) {
    const otherKeys = [[...TRANSPORTS, "sse", "basePath"]];
    paths.push(
      { key: [...TRANSPORTS, "sse", "path"], otherKeys, path: sse.path, owner: "sse" },
      { key: [...TRANSPORTS, "sse", "messagePath"], otherKeys, path: sse.messagePath, owner: "sse messages" },
    );
  }
  if (oauth.enabled) {
    const key = ["mcpProvider", "authorization", "oauth", "metadataPath"];
    paths.push({ key, path: oauth.metadataPath, owner: RESOURCE_METADATA });
  }
  return paths;
}
