import { posix } from "node:path";

/**
 * What is wrong with the files of a site, as they would be served: links to files or headings that are not there, and anything
 * that a browser would load from elsewhere. A reader may follow a link to another site.
 *
 * @param others names of files that are there and are not HTML
 */
export function mistakesInSite(files: ReadonlyMap<string, string>, others: readonly string[]): readonly string[] {
  const pages = [...files].filter(([name]) => name.endsWith(".html"));
  const ids = new Map(pages.map(([name, html]) => [name, idsOf(html)]));
  const isThere = (name: string) => files.has(name) || others.includes(name);
  return pages.flatMap(([name, html]) =>
    [...html.matchAll(/<(\w+)[^>]*?\s(?:href|src)="([^"]*)"/g)].flatMap(([, element, address = ""]) => {
      if (/^[a-z]+:/.test(address) || address.startsWith("//")) {
        return element === "a" ? [] : [`${name}: ${element} loads ${address}`];
      }
      const [path = "", anchor] = address.split("#");
      const target = path === "" ? name : posix.join(posix.dirname(name), path);
      if (!isThere(target)) return [`${name}: ${address} does not exist`];
      const isFound = anchor === undefined || anchor === "" || ids.get(target)?.has(anchor) !== false;
      return isFound ? [] : [`${name}: ${address} names a heading that does not exist`];
    }),
  );
}

function idsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id as string));
}
