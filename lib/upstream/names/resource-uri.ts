import { hex, utf8 } from "../../kernel/encoding.ts";
import type { Naming } from "./namespaced.ts";

/** What hosts of MCP Apps tell pages by (MCP Apps 2026-01-26, UI Resource Format): it has to stay in front. */
const UI = "ui://";

/**
 * The URI or URI template of an app's resource as agents see it: the app stands in front of the scheme, as in
 * `ledger+file:///x`, and in `ui:` URIs in front of the host, as in `ui://ledger+charts/x`. What was a URI (RFC 3986) is one.
 * A template (RFC 6570) keeps its expressions, and what it expands to is the wrapped form of what the original expands to.
 */
export function wrapURI({ name, namespace }: Naming, uri: string): string {
  if (namespace === "") return uri;
  const at = isUI(uri) ? UI.length : 0;
  return `${uri.slice(0, at)}${labelOf(name)}+${uri.slice(at)}`;
}

/** The upstream's URI or template; undefined where what the agent sent is none of this app. Clients may change the scheme's case. */
export function unwrapURI({ name, namespace }: Naming, uri: string): string | undefined {
  if (namespace === "") return uri;
  const at = isUI(uri) ? UI.length : 0;
  const label = `${labelOf(name)}+`;
  if (uri.slice(at, at + label.length).toLowerCase() !== label) return undefined;
  return uri.slice(0, at) + uri.slice(at + label.length);
}

function isUI(uri: string): boolean {
  return uri.slice(0, UI.length).toLowerCase() === UI;
}

/**
 * The app's name in the characters of schemes, without `+`, in lower case. Any other byte is `.` and two hex digits. A scheme
 * begins with a letter: `x..` goes before a label that does not, and two dots stand nowhere else.
 */
export function labelOf(name: string): string {
  const label = name.replaceAll(/[^a-z0-9-]/gu, escaped);
  return /^[a-z]/.test(label) ? label : `x..${label}`;
}

function escaped(character: string): string {
  return hex(utf8(character)).replaceAll(/../g, ".$&");
}

/** A resource as one upstream knows it. */
interface OwnedResource<A extends Naming> {
  readonly app: A;
  /** The upstream's own URI or template. */
  readonly uri: string;
}

/**
 * Whose resource a URI that an agent sent may be: that of one app which it names, else of any app without a namespace, in
 * their order. Only those apps know which of them has it. Empty: nobody's.
 */
export function ownersOf<A extends Naming>(apps: readonly A[], uri: string): readonly OwnedResource<A>[] {
  const owned = apps.flatMap((app) => {
    const own = unwrapURI(app, uri);
    return own === undefined ? [] : [{ app, uri: own }];
  });
  const named = owned.find(({ app }) => app.namespace !== "");
  return named === undefined ? owned : [named];
}
