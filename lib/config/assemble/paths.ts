import { oauthMetadataPath, resourceMetadataPath } from "../../http/well-known.ts";
import type { Configuration, McpProviderConfiguration, OidcProviderConfiguration } from "../configuration.ts";
import type { Path } from "../path.ts";
import type { Problem } from "../rules/rule.ts";
import type { Shown } from "./http.ts";
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

const SERVER_METADATA = "the authorization server metadata (RFC 8414)";
const RESOURCE_METADATA = "the protected resource metadata (RFC 9728)";

/** Two endpoints on one path would hide each other, and the management API owns everything below its own. */
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
    }
    owners.set(path, { owner, name: key.join(".") });
  }
  return problems;
}

/** Where standards want documents, whatever is configured. */
function fixedPaths({ oidcProvider, mcpProvider }: Configuration): readonly FixedPath[] {
  const paths: FixedPath[] = [];
  if (oidcProvider !== undefined) paths.push({ path: oauthMetadataPath(oidcProvider.issuer), owner: SERVER_METADATA });
  if (mcpProvider?.stream.enabled && mcpProvider.oauth.enabled) {
    paths.push({ path: resourceMetadataPath(mcpProvider.stream.path), owner: RESOURCE_METADATA });
  }
  return paths;
}

function configuredPaths({ health, oidcProvider, mcpProvider }: Configuration): readonly ConfiguredPath[] {
  return [
    { key: ["health", "location"], path: health.location, owner: "health" },
    ...(oidcProvider === undefined ? [] : providerPaths(oidcProvider)),
    ...(mcpProvider?.stream.enabled ? gatewayPaths(mcpProvider) : []),
  ];
}

function providerPaths({ endpoints }: OidcProviderConfiguration): readonly ConfiguredPath[] {
  return Object.entries(endpoints).map(([name, url]) => ({
    key: endpointKey(name as keyof typeof endpoints),
    otherKeys: [["oidcProvider", "discovery", "issuer"]],
    path: new URL(url).pathname,
    owner: name === "wellKnown" ? SERVER_METADATA : name,
  }));
}

function gatewayPaths({ stream, oauth }: McpProviderConfiguration): readonly ConfiguredPath[] {
  const streamKey = ["mcpProvider", "transports", "stream"];
  const streamPath = {
    key: [...streamKey, "path"],
    otherKeys: [[...streamKey, "endpointPath"]],
    path: stream.path,
    owner: "stream",
  };
  const metadataKey = ["mcpProvider", "authorization", "oauth", "metadataPath"];
  const metadataPath = { key: metadataKey, path: oauth.metadataPath, owner: RESOURCE_METADATA };
  return oauth.enabled ? [streamPath, metadataPath] : [streamPath];
}
