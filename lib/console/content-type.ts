/** The content type of a file by its extension; undefined for what the Console does not consist of. */
export function contentTypeOf(path: string): string | undefined {
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
