import type { Configuration } from "../configuration.ts";
import type { Path } from "../path.ts";
import type { Problem } from "../rules/rule.ts";

/** Two endpoints on one path would hide each other, and the management API owns everything below its own. */
export function pathProblems(configuration: Configuration): readonly Problem[] {
  const owners = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { key, path } of pathsOf(configuration)) {
    const owner = owners.get(path);
    if (owner !== undefined)
      problems.push({ path: key, message: `${path} belongs to ${owner}; accepted: a path of its own` });
    else if (configuration.console.enabled && `${path}/`.startsWith("/api/v1/")) {
      problems.push({
        path: key,
        message: `${path} belongs to the management API; accepted: a path outside of /api/v1`,
      });
    }
    owners.set(path, key.join("."));
  }
  return problems;
}

function pathsOf({
  health,
  oidcProvider,
  mcpProvider,
}: Configuration): readonly { key: Path & string[]; path: string }[] {
  const paths = [{ key: ["health", "location"], path: health.location }];
  for (const [name, url] of Object.entries(oidcProvider?.endpoints ?? {})) {
    paths.push({ key: ["oidcProvider", "discovery", "endpoints", name], path: new URL(url).pathname });
  }
  if (mcpProvider?.stream.enabled) {
    paths.push({ key: ["mcpProvider", "transports", "stream", "path"], path: mcpProvider.stream.path });
    const { enabled, metadataPath } = mcpProvider.oauth;
    if (enabled) paths.push({ key: ["mcpProvider", "authorization", "oauth", "metadataPath"], path: metadataPath });
  }
  return paths;
}
