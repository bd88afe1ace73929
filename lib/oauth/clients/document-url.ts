/**
 * Whether a client id is the URL of a metadata document, and may be asked for: `https`, a host, a path, written exactly as
 * URLs are, without fragment, user or dot segments (Client ID Metadata Document §3, MCP authorization 2025-11-25). What
 * would have to be normalized first is refused, since ids are compared as text.
 */
export function isClientDocumentUrl(clientId: string): boolean {
  if (clientId.length > MAX_LENGTH || !clientId.startsWith("https://") || !URL.canParse(clientId)) return false;
  const { href, pathname, username, password, hash } = new URL(clientId);
  // `href` has no dot segments, no default port and no capital letters in its host.
  return href === clientId && pathname !== "/" && `${username}${password}${hash}` === "" && !AMBIGUOUS.test(clientId);
}

const MAX_LENGTH = 512;
/** An empty fragment or query, and separators that are read in more than one way. */
const AMBIGUOUS = /[#\\]|\?$|%2f|%5c|%00/i;
