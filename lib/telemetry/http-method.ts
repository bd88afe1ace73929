const KNOWN = new Set(["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"]);

/** `http.request.method`: a caller's own inventions are all `_OTHER` (semantic conventions, HTTP). */
export function knownMethod(method: string): string {
  return KNOWN.has(method) ? method : "_OTHER";
}
