import type { McpEndpointConfiguration, McpProviderConfiguration, OidcProviderConfiguration } from "./configuration.ts";

/** Where agents connect; the recommended transport first. */
export function mcpEndpoints({
  stream,
  sse,
}: Pick<McpProviderConfiguration, "stream" | "sse">): readonly McpEndpointConfiguration[] {
  return [stream, sse].filter((endpoint) => endpoint !== undefined);
}

type Provider = Pick<OidcProviderConfiguration, "endpoints">;

/** The page where people decide: below the authorization endpoint. */
export function consentEndpoint({ endpoints }: Provider): string {
  return `${endpoints.authorize}/consent`;
}

/** The same for one sign-in; only the browser that it began in can open it. */
export function consentPageURL(provider: Provider, secret: string): string {
  return `${consentEndpoint(provider)}?${INTERACTION}=${secret}`;
}

/** The parameter that holds an interaction's secret, in addresses and forms. */
export const INTERACTION = "interaction";

/**
 * What clients ask tokens for at an MCP endpoint (D28): its URL, or the longest expected audience that is a prefix of it.
 * Undefined when no audience that all servers expect is either.
 *
 * @param expected the audiences of each server
 */
export function resourceOf(url: string, expected: readonly (readonly string[])[]): string | undefined {
  const prefixes = expected.flatMap((audiences) => audiences.filter((audience) => isPrefix(audience, url)));
  const candidates = [url, ...prefixes.sort((a, b) => b.length - a.length)];
  return candidates.find((candidate) => expected.every((audiences) => audiences.includes(candidate)));
}

/** Same origin, and the path ends where a segment of the other ends (as MCP clients compare, RFC 8707). */
function isPrefix(audience: string, url: string): boolean {
  if (!URL.canParse(audience)) return false;
  const [shorter, longer] = [new URL(audience), new URL(url)];
  if (shorter.origin !== longer.origin || shorter.search !== "" || shorter.hash !== "") return false;
  return withSlash(longer.pathname).startsWith(withSlash(shorter.pathname));
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}
