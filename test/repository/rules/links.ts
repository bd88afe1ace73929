import { posix } from "node:path";
import type { Finding, RepositoryFile } from "../files.ts";

/** Links between the project's own pages lead somewhere: the file exists, and so does the heading. */
export function checkLinks(files: readonly RepositoryFile[]): readonly Finding[] {
  const pages = files.filter((file) => file.path.endsWith(".md"));
  return pages.flatMap((page) =>
    [...page.text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map((match) => match[1] as string)
      .filter((target) => !/^[a-z]+:/.test(target))
      .flatMap((target) => checkLink(page, target, files)),
  );
}

function checkLink(page: RepositoryFile, target: string, files: readonly RepositoryFile[]): Finding[] {
  const [path = "", anchor] = target.split("#");
  const linked = path === "" ? page.path : posix.join(posix.dirname(page.path), path).replace(/\/$/, "");
  const file = files.find((other) => other.path === linked);
  if (file === undefined && !files.some((other) => other.path.startsWith(`${linked}/`))) {
    return [{ path: page.path, message: `links to ${target}, which does not exist.` }];
  }
  if (anchor === undefined || !linked.endsWith(".md") || anchors(file?.text ?? "").has(anchor)) return [];
  return [{ path: page.path, message: `links to ${target}, but ${linked} has no such heading.` }];
}

function anchors(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] as string);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, "")
        .trim()
        .replaceAll(/\s/g, "-"),
    ),
  );
}
