import { CONSOLE_PATH } from "../config/endpoints.ts";

/** The meaning of a path below `/console/`: a page of the Console (all pages are one document) or a file of its build. */
export type ConsoleTarget =
  | { readonly kind: "page" }
  | { readonly kind: "file"; readonly path: string; readonly contentType: string; readonly isHashed: boolean };

/** The document of all pages. */
export const INDEX = "index.html";
/** Where the build puts files whose names change with what is in them. */
const HASHED = "assets/";

/**
 * Undefined if there is nothing at the path. The path of a file has no escapes and no name that begins with a dot. The path
 * of a page may have escapes, except those of `/`, `\` and control characters.
 *
 * @param pathname of a parsed URL, so that `..` and its spellings are gone
 */
export function consoleTarget(pathname: string): ConsoleTarget | undefined {
  if (!pathname.startsWith(CONSOLE_PATH)) return undefined;
  const path = pathname.slice(CONSOLE_PATH.length);
  if (path === INDEX) return { kind: "page" };
  if (EXTENSION.test(path)) return fileAt(path);
  return PAGE.test(path) ? { kind: "page" } : undefined;
}

/**
 * The page on which the holder of the setup token becomes the first owner, once. The token is in the fragment, which browsers
 * send to no server.
 *
 * @param baseURL of the Console, without trailing slash
 */
export function setupLink(baseURL: string, setupToken: string): string {
  return `${baseURL}${CONSOLE_PATH}setup#token=${encodeURIComponent(setupToken)}`;
}

function fileAt(path: string): ConsoleTarget | undefined {
  const contentType = contentTypeOf(path);
  if (contentType === undefined || !FILE.test(path)) return undefined;
  return { kind: "file", path, contentType, isHashed: path.startsWith(HASHED) };
}

const EXTENSION = /\.[A-Za-z0-9]+$/;
const FILE = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;
/** RFC 3986 pchar without the escapes of control characters, `/` and `\`. */
const PCHAR = String.raw`(?:[\w.~!$&'()*+,;=:@-]|%(?![01]|2f|5c|7f)[0-9a-f]{2})`;
const PAGE = new RegExp(`^(?:${PCHAR}+/)*${PCHAR}*$`, "i");

/** The content type of a file by its extension; undefined for files that the Console does not have. */
function contentTypeOf(path: string): string | undefined {
  return CONTENT_TYPES.get(path.slice(path.lastIndexOf(".") + 1));
}

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ["js", "text/javascript; charset=utf-8"],
  ["css", "text/css; charset=utf-8"],
  ["json", "application/json"],
  ["map", "application/json"],
  ["webmanifest", "application/manifest+json"],
  ["txt", "text/plain; charset=utf-8"],
  ["svg", "image/svg+xml"],
  ["png", "image/png"],
  ["webp", "image/webp"],
  ["ico", "image/vnd.microsoft.icon"],
  ["woff2", "font/woff2"],
]);
