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

/** A NUL ends a name where it is read, or vanishes. */
function isDotted(text: string): boolean {
  return hasDots(text) || (text.includes("\0") && hasDots(text.replaceAll("\0", "")));
}

/** Two dots anywhere between delimiters, as some servers read a query as a part of the path; one dot beside a slash or the scheme. */
function hasDots(text: string): boolean {
  return (
    /(^|[/\\?#&=;:,])\.\.($|[/\\?#&=;:,\0])/.test(text) ||
    /(^|[/\\])\.($|[/\\?#;\0])|^[a-z][a-z0-9+.-]*:\.($|[/\\?#;\0])/i.test(text)
  );
}

/**
 * More octets of UTF-8 than a character of ASCII needs, two to six (`%c0%ae` to `%fc%80%80%80%80%ae`): how filters were passed
 * once. Of the last one some readers take six bits and ask for no more (`%c0%2e`).
 */
const LONGER = "e0|f0%80|f8%80%80|fc%80%80%80";
const OVERLONG = `(?:c([01])|(?:${LONGER})%8([01]))%([89ab][0-9a-f])|(?:c0|(?:${LONGER})%80)%([23][0-9a-f])`;
const ENCODED = new RegExp(`%(?:${OVERLONG}|u([0-9a-f]{4})|([0-9a-f]{2}))`, "gi");

/** Octets as characters: all that delimits is ASCII. `%u002e` is what some servers still read as a dot, also of full width. */
function decodedOnce(text: string): string {
  return text.replaceAll(ENCODED, (_, two, many, last: string | undefined, bare, unit: string | undefined, octet) => {
    if (last !== undefined) return String.fromCharCode(Number(two ?? many) * 0x40 + (Number.parseInt(last, 16) & 0x3f));
    const character = String.fromCharCode(Number.parseInt(bare ?? unit ?? octet, 16));
    return unit === undefined ? character : character.normalize("NFKC");
  });
}
