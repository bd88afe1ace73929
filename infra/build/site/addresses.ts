import { posix } from "node:path";

/** Below this folder of the site: files of the repository that pages link to and that are no pages. */
export const FILES = "files/";

const EXTERNAL = /^[a-z][a-z0-9+.-]*:/;

/** The file of the site that a page becomes. Folders stay, so that pictures are found from where they are named. */
export function fileOfPage(path: string): string {
  if (path === "README.md") return "index.html";
  return path.replace(/(^|\/)README\.md$/, "$1index.html").replace(/\.md$/, ".html");
}

/** The way from one file of the site to another. */
export function relative(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}

export type Target =
  | { readonly kind: "external" }
  | { readonly kind: "here"; readonly anchor: string }
  /** @property path within the repository, without a slash at the end */
  | { readonly kind: "file"; readonly path: string; readonly anchor: string };

/** What a link in a page of the repository leads to. */
export function readTarget(page: string, href: string): Target {
  if (EXTERNAL.test(href)) return { kind: "external" };
  const [path = "", anchor = ""] = href.split("#");
  if (path === "") return { kind: "here", anchor };
  return { kind: "file", path: posix.join(posix.dirname(page), path).replace(/\/$/, ""), anchor };
}

/** The anchor of a heading, as places that show repositories make it. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/\s/g, "-");
}
