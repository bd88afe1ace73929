/** How often a URI may be encoded over. */
const DEEPEST = 5;

/**
 * Whether a URI or template has segments that are `.` or `..` (RFC 3986 §3.3), as it is or to whoever decodes it once or more
 * often, takes backslashes for slashes, or leaves away parameters of a segment. Servers resolve them at different times, and so
 * read something else than what was decided on (checklist 46). What is encoded over and over counts as such.
 */
export function hasDotSegments(uri: string): boolean {
  let text = uri;
  for (let depth = 0; depth <= DEEPEST; depth++) {
    if (isDotted(text)) return true;
    const decoded = decodedOnce(text);
    if (decoded === text) return false;
    text = decoded;
  }
  return true;
}

/** Two dots anywhere between delimiters, as some servers read a query as a part of the path; one dot beside a slash or the scheme. */
function isDotted(text: string): boolean {
  return (
    /(^|[/\\?#&=;:,])\.\.($|[/\\?#&=;:,])/.test(text) ||
    /(^|[/\\])\.($|[/\\?#;])|^[a-z][a-z0-9+.-]*:\.($|[/\\?#;])/i.test(text)
  );
}

/** Octets as characters: all that delimits is ASCII. Two octets where one would do are how filters of UTF-8 were passed once. */
function decodedOnce(text: string): string {
  return text.replaceAll(/%(?:c0%([ab][0-9a-f])|([0-9a-f]{2}))/gi, (_, overlong?: string, octet = "") =>
    String.fromCharCode(overlong === undefined ? Number.parseInt(octet, 16) : Number.parseInt(overlong, 16) & 0x3f),
  );
}
