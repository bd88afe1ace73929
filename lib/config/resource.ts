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
