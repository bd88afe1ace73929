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

/** More octets of UTF-8 than a character of ASCII needs (`%c0%ae`, `%e0%80%ae`, `%f0%80%80%ae`): how filters were passed once. */
const OVERLONG = "(?:c([01])|e0%8([01])|f0%80%8([01]))%([89ab][0-9a-f])";
const ENCODED = new RegExp(`%(?:${OVERLONG}|u([0-9a-f]{4})|([0-9a-f]{2}))`, "gi");

/** Octets as characters: all that delimits is ASCII. `%u002e` is what some servers still read as a dot. */
function decodedOnce(text: string): string {
  return text.replaceAll(ENCODED, (_, two, three, four, last: string | undefined, unit, octet: string) => {
    if (last === undefined) return String.fromCharCode(Number.parseInt(unit ?? octet, 16));
    return String.fromCharCode(Number(two ?? three ?? four) * 0x40 + (Number.parseInt(last, 16) & 0x3f));
  });
}
