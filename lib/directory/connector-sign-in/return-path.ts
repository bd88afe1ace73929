/** Where people go who said nowhere. */
export const CONSOLE_HOME = "/console/";

/**
 * Whether a text is a page of the Console, as it stands and without anything that browsers, proxies or servers read in
 * different ways: backslashes, dots and slashes in disguise, empty segments. Nothing else is redirected to (RFC 9700 §4.11).
 */
export function isConsolePath(text: string): boolean {
  if (text.length > 512 || !PLAIN.test(text)) return false;
  const [path = ""] = text.slice(CONSOLE_HOME.length).split("?");
  const segments = path.split("/");
  const [last] = segments.slice(-1);
  return segments.slice(0, -1).every(isName) && (last === "" || isName(last ?? ""));
}

function isName(segment: string): boolean {
  return segment !== "" && segment !== "." && segment !== "..";
}

/** Escapes are for values of the query alone. */
const PLAIN = /^\/console\/[A-Za-z0-9._~/-]*(\?[A-Za-z0-9._~=&+%:-]*)?$/;
