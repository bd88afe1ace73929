import { canonicalPath, type TargetFault } from "./request-target.ts";

/** Bounds of the work for one path: an honest one has a few other readings, and is short. */
const MOST = 32;
const CHARACTERS = 16_384;

/** Nothing in it that any of the readings would change. */
const MAY_BE_READ_OTHERWISE = /[%;+]|\.(?:\/|$)/;

/**
 * What upstreams that are less strict may take a path for, the path itself left out: they decode once more, take escapes for
 * the characters themselves, cut parameters, take `%3F` for the beginning of a query, drop dots and spaces behind a name, take
 * characters that are compatible for the same (Unicode NFKC), take `+` for a space; and any of this in whichever order.
 *
 * Case and a trailing slash are not among them: `foldedPath` is about those, since they are known of both sides.
 *
 * @param path canonical
 * @returns canonical paths; a fault when one of the readings has it, or when there are too many to tell
 */
export function readingsOf(path: string): readonly string[] | { readonly fault: TargetFault } {
  if (!MAY_BE_READ_OTHERWISE.test(path)) return [];
  const readings = new Set([path]);
  let characters = path.length;
  // A set goes on to what is added while it is read.
  for (const reading of readings) {
    for (const read of READERS) {
      const other = canonicalPath(read(reading));
      if (typeof other !== "string") return other;
      if (readings.has(other)) continue;
      readings.add(other);
      characters += other.length;
      if (readings.size > MOST || characters > CHARACTERS) return { fault: "too_long" };
    }
  }
  readings.delete(path);
  return [...readings];
}

const READERS: readonly ((path: string) => string)[] = [
  // `%u` is what IIS knows besides, and is refused.
  (path) => path.replaceAll(/%25(?=[\dA-F]{2}|u[\dA-F]{4})/gi, "%"),
  // The sub-delims, ":" and "@" of RFC 3986 §3.3.
  (path) => path.replaceAll(/%(?:2[146-9A-C]|3[ABD]|40)/g, decodeURIComponent),
  (path) => path.replaceAll(/;[^/]*/g, ""),
  (path) => path.replace(/%3F.*$/, ""),
  (path) => path.split("/").map(trimmedEnd).join("/"),
  (path) => path.replaceAll(/(?:%[89A-F][\dA-F])+/g, compatible),
  (path) => path.replaceAll("+", "%20"),
];

const END = /(?:\.|\+| |%20)$/;

/** Written as a loop: a search for what stands at an end begins anew at each character. */
function trimmedEnd(segment: string): string {
  let end = segment.length;
  for (let found = END.exec(tail(segment, end)); found !== null; found = END.exec(tail(segment, end))) {
    end -= found[0].length;
  }
  return segment.slice(0, end);
}

function tail(text: string, end: number): string {
  return text.slice(Math.max(0, end - "%20".length), end);
}

function compatible(escapes: string): string {
  return encodeURIComponent(decodeURIComponent(escapes).normalize("NFKC")).replaceAll(/%(?:2F|5C)/g, "/");
}

const FOLDED = /^[a-z\d_~!$&'()*,=:@./-]+$/;
const UNFOLDED_END = /[./](?:\/|$)/;

/** Whether a canonical path is its own folded form. */
export function isFolded(path: string): boolean {
  return path === "/" || (FOLDED.test(path) && !UNFOLDED_END.test(path));
}

/**
 * A key that all paths share which some upstream could take for each other: decoded, in lower case, without parameters,
 * trailing slash, and dots and spaces behind names. It is no path: nothing may be sent or shown of it.
 *
 * @param path canonical
 */
export function foldedPath(path: string): string {
  if (isFolded(path)) return path;
  const text = path.split("/").map(decodeURIComponent).join("/").normalize("NFKC").toLowerCase().replaceAll("+", " ");
  const segments = text.split(/[/\\]/).map((segment) => trimmedEnd(segment.split(";", 1)[0] ?? ""));
  return `/${segments.filter((segment) => segment !== "").join("/")}`;
}

/** Whether some upstream could read a canonical path as another one, apart from letters' case and a slash at its end. */
export function hasOtherReadings(path: string): boolean {
  if (isFolded(path)) return false;
  const readings = readingsOf(path);
  return "fault" in readings || readings.length > 0;
}
