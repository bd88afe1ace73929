import { contentTypeOf } from "./content-type.ts";

/** What a path below `/console/` means: a page of the Console, all of which are one document, or a file of its build. */
export type ConsoleTarget =
  | { readonly kind: "page" }
  | { readonly kind: "file"; readonly path: string; readonly contentType: string; readonly isHashed: boolean };

export const CONSOLE_PATH = "/console/";
/** The document of all pages. */
export const INDEX = "index.html";
/** Where the build puts files whose names change with what is in them. */
const HASHED = "assets/";

/**
 * Undefined: nothing can be there. Paths of files have nothing to decode, and no names that begin with a dot; those of pages
 * may hold encoded characters, but none that could end a segment, leave it, or a text.
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
