import { isInternal } from "../../net/agent-supplied.ts";

/** Where a text inside of the configuration stands: its folder. */
export const INLINE = "file://";

/**
 * The URI, without fragment, of the document that a reference leads to from a document at `base`. `file://` paths may be
 * relative, which they are to the configuration. Or why it is not read: what comes over the network must not make us read files, what comes
 * from the internet no hosts inside of networks, and nothing is read without TLS.
 */
export function documentUri(reference: string, base: string): { readonly uri: string } | { readonly refused: string } {
  const [target = ""] = reference.split("#", 1);
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(target)?.[1]?.toLowerCase();
  if (scheme === undefined) return relative(target, base);
  if (scheme === "https") return URL.canParse(target) ? overNetwork(target, base) : { refused: "is no valid URL" };
  if (scheme === "http") return { refused: "would be read without TLS; accepted: https" };
  if (scheme !== "file") return { refused: `cannot be read: ${scheme} is not supported; accepted: files and https` };
  if (!base.startsWith("file:")) return { refused: "is a file, which a document from the network cannot refer to" };
  return { uri: `file://${normalized(target.replace(/^file:(\/\/)?/i, ""))}` };
}

function relative(target: string, base: string): { readonly uri: string } | { readonly refused: string } {
  if (!base.startsWith("file:")) {
    if (!URL.canParse(target, base)) return { refused: "is no valid URL" };
    const { href, protocol } = new URL(target, base);
    return protocol === "https:" ? overNetwork(href, base) : { refused: "would be read without TLS; accepted: https" };
  }
  // `//host/path` names a host, and there is none among files.
  if (target.startsWith("//")) return { refused: "has a host and no scheme; accepted: files and https" };
  const from = base.slice("file://".length);
  const folder = from.slice(0, from.lastIndexOf("/") + 1);
  return { uri: `file://${normalized(target === "" ? from : target.startsWith("/") ? target : folder + target)}` };
}

function overNetwork(uri: string, base: string): { readonly uri: string } | { readonly refused: string } {
  const isFromInternet = base.startsWith("https:") && !isInternal(new URL(base));
  if (!isFromInternet || !isInternal(new URL(uri))) return { uri };
  return { refused: "is on a host inside of a network, which a document from the internet cannot refer to" };
}

/** A document by the name that people know it by: a file as its path, from the folder of the configuration where it is relative. */
export function nameOf(uri: string): string {
  if (!uri.startsWith("file://")) return withoutQuery(uri);
  const path = uri.slice("file://".length);
  try {
    return decodeURIComponent(path);
  } catch {
    // Such a name leads to no file; it is shown as it was written.
    return path;
  }
}

/** A reference for messages: what is in a query may be secret. */
export function withoutQuery(reference: string): string {
  return /^[a-z][a-z0-9+.-]+:/i.test(reference) ? reference.replace(/\?[^#]*/, "") : reference;
}

/** RFC 3986 §5.2.4, except that ways up at the beginning of a relative path stay. */
function normalized(path: string): string {
  const root = path.startsWith("/") ? "/" : "";
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (root === "") kept.push(segment);
  }
  return root + kept.join("/");
}
