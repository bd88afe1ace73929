/** What a request asks for (RFC 9112 §3.2), in the one form that is matched, shown to policies and sent on. */
export interface RequestTarget {
  /** Canonical, as `canonicalPath` makes it. */
  readonly path: string;
  /** Empty, or from the `?` on, as it came. */
  readonly query: string;
}

/** Why a target is refused: two parties could read it differently, or no honest client writes it. */
export type TargetFault =
  | "form"
  | "not_ascii"
  | "backslash"
  | "fragment"
  | "broken_encoding"
  | "encoded_separator"
  | "encoded_control"
  | "encoded_dots"
  | "dots_with_parameters"
  | "above_root"
  | "not_utf8"
  | "too_long";

/** Characters of a path, before and after it is made canonical. */
const LONGEST = 8_192;

const FAULTS: Readonly<Record<TargetFault, string>> = {
  form: "The request target is neither a path nor a URL at this host.",
  not_ascii: "The request target has a character that has to be percent-encoded.",
  backslash: "The path has a backslash.",
  fragment: "The request target has a fragment, or an encoded # in its path.",
  broken_encoding: "The path has a % without two hexadecimal digits behind it.",
  encoded_separator: "The path has an encoded slash or backslash.",
  encoded_control: "The path has an encoded control character.",
  encoded_dots: "The path has a segment that is made of encoded dots.",
  dots_with_parameters: "The path has a segment of dots with parameters behind them.",
  above_root: "The path leads above its root.",
  not_utf8: "The path is not UTF-8 once it is decoded.",
  too_long: `The path has more than ${LONGEST} characters.`,
};

/** A sentence for people; it repeats nothing of the request. */
export function faultSentence(fault: TargetFault): string {
  return FAULTS[fault];
}

/**
 * Reads a request target in origin form, or in absolute form where its authority is the host's (RFC 9112 §3.2.2).
 *
 * @param raw as it stands in the request line
 * @param host with its port where there is one, as `Host` has it
 */
export function readRequestTarget(raw: string, host: string): RequestTarget | { readonly fault: TargetFault } {
  const text = raw.startsWith("/") ? raw : originForm(raw, host);
  if (text === undefined) return { fault: "form" };
  const mark = text.indexOf("?");
  const query = mark === -1 ? "" : text.slice(mark);
  if (!VISIBLE.test(query)) return { fault: "not_ascii" };
  if (query.includes("#")) return { fault: "fragment" };
  const path = canonicalPath(mark === -1 ? text : text.slice(0, mark));
  return typeof path === "string" ? { path, query } : path;
}

/** The host of a request's URL, with its port where that is not the scheme's own. */
export function hostOfUrl(url: string): string {
  return PLAIN_AUTHORITY.exec(url)?.[1] ?? new URL(url).host;
}

/** Is as the URL Standard's parser would write it; a port of the scheme's own it would leave out. */
const PLAIN_AUTHORITY = /^https?:\/\/([a-z][a-z\d.-]*(?::(?!(?:80|443)\/)[1-9]\d*)?)\//;

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is;

function originForm(raw: string, host: string): string | undefined {
  const [, authority, rest = ""] = ABSOLUTE.exec(raw) ?? [];
  if (authority === undefined || authority.toLowerCase() !== host.toLowerCase()) return undefined;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

const VISIBLE = /^[\x21-\x7e]*$/;
/** Is canonical as it stands: nothing is encoded, and no segment is empty or begins with a dot. */
const PLAIN = /^(?:\/[\w~!$&'()*+,=:@-][\w~!$&'()*+,=:@.-]*)+\/?$/;

const REFUSED: readonly (readonly [RegExp, TargetFault])[] = [
  [/[^\x21-\x7e]/, "not_ascii"],
  [/\\/, "backslash"],
  [/#|%23/, "fragment"],
  [/^(?!\/)|\?/, "form"],
  [/%(?![\dA-F]{2})/i, "broken_encoding"],
  [/%(?:2F|5C)/i, "encoded_separator"],
  // Those of C1 as well (U+0080 to U+009F).
  [/%(?:[01][\dA-F]|7F|C2%[89][\dA-F])/i, "encoded_control"],
];

/**
 * The one spelling of a path: unreserved characters are decoded (RFC 3986 §6.2.2.2), other escapes are in upper case, what URLs
 * do not have is encoded, slashes are merged, `.` and `..` are resolved. The URL Standard's parser leaves it as it is.
 *
 * What could be read in two ways is refused. That goes for dots in whichever depth of encoding, since an upstream that decodes
 * more than once would leave the folder that it is mapped to.
 */
export function canonicalPath(text: string): string | { readonly fault: TargetFault } {
  if (text.length > LONGEST) return { fault: "too_long" };
  if (PLAIN.test(text)) return text;
  const refused = REFUSED.find(([pattern]) => pattern.test(text));
  if (refused !== undefined) return { fault: refused[1] };
  if (!isUtf8(text)) return { fault: "not_utf8" };
  const path = resolveSegments(text);
  return typeof path === "string" && path.length > LONGEST ? { fault: "too_long" } : path;
}

/** Overlong forms and surrogates are no UTF-8 (RFC 3629 §3). */
function isUtf8(text: string): boolean {
  try {
    // Minifiers leave out a call whose result nobody uses, with its error.
    return decodeURIComponent(text).isWellFormed();
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

/** Dots and spaces alone, each encoded as often as one likes: Windows takes spaces away at the end of a name. */
const DOTS_AND_SPACES = /^(?:\.|%(?:25)*(?:2E|20))+$/i;
const DOT = /\.|2E/i;
/** Dots at the beginning, and then what ends a name for some: parameters, or a query. */
const DOTS_WITH_PARAMETERS = /^(?:\.|%(?:25)*2E)(?:\.|%(?:25)*(?:2E|20))*(?:;|%(?:25)*3[BF])/i;

function resolveSegments(text: string): string | { readonly fault: TargetFault } {
  const segments: string[] = [];
  const parts = text.slice(1).split("/");
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (segments.pop() === undefined) return { fault: "above_root" };
      continue;
    }
    const segment = canonicalSegment(part);
    if (part.includes("%") && DOTS_AND_SPACES.test(segment) && DOT.test(segment)) return { fault: "encoded_dots" };
    if (DOTS_WITH_PARAMETERS.test(segment)) return { fault: "dots_with_parameters" };
    segments.push(segment);
  }
  const isFolder = /^\.{0,2}$/.test(parts.at(-1) ?? "");
  return `/${segments.join("/")}${isFolder && segments.length > 0 ? "/" : ""}`;
}

/** A percent-encoded octet, or a character that a URL's path does not have as it is. */
const OCTET = /%[\dA-F]{2}|["<>^`{|}[\]]/gi;
const UNRESERVED = /^[\w.~-]$/;

function canonicalSegment(text: string): string {
  return text.replace(OCTET, (octet) => {
    if (!octet.startsWith("%")) return percentEncoded(octet);
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return UNRESERVED.test(character) ? character : octet.toUpperCase();
  });
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * Whether a path is the prefix or lies below it, by segments: `/pay` has `/pay/x` below it, not `/payroll`.
 *
 * @param prefix canonical, without a trailing slash unless it is `/`
 */
export function isBelow(prefix: string, path: string): boolean {
  return prefix === "/" || (path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/"));
}
