import { exposedName } from "../../openapi/names.ts";

/** What of an app decides on the names that agents see. */
export interface Naming {
  /** Of the app. */
  readonly name: string;
  /** In front of names; empty: they and resource URIs stay as they are. */
  readonly namespace: string;
}

/** The name of an upstream's tool or prompt as agents see it: `[A-Za-z0-9_-]{1,64}`, with an empty namespace whatever it is. */
export async function exposed(namespace: string, upstreamName: string): Promise<string> {
  return namespace === "" ? upstreamName : exposedName(namespace + upstreamName);
}

/**
 * The upstream's name for one that an agent sent, where that takes no list of the upstream. Undefined where the name does not
 * belong to the namespace, and where it was cut or could have been: only a list knows what it stands for.
 */
export async function ownName(namespace: string, name: string): Promise<string | undefined> {
  if (!name.startsWith(namespace)) return undefined;
  const own = name.slice(namespace.length);
  return own !== "" && (await exposed(namespace, own)) === name ? own : undefined;
}

/**
 * Those of the apps that a name may belong to. A namespace owns the names that begin with it, the longest that fits: what an app
 * without a namespace, or with a shorter one, has under such a name does not exist for agents. Else it is any of those without.
 */
export function mayOwn<A extends Naming>(apps: readonly A[], name: string): readonly A[] {
  const fitting = apps.filter((app) => app.namespace !== "" && name.startsWith(shownPrefix(app)));
  const longest = Math.max(...fitting.map((app) => shownPrefix(app).length));
  const owners = fitting.filter((app) => shownPrefix(app).length === longest);
  return owners.length > 0 ? owners : apps.filter(({ namespace }) => namespace === "");
}

/** Those of the apps whose namespace is how another one's begins: what seems to be a name of theirs may not be. */
export function overshadowed<A extends Naming>(apps: readonly A[]): ReadonlySet<A> {
  const prefixes = apps.map(shownPrefix);
  const isBeginning = (own = "") => prefixes.some((other) => other.length > own.length && other.startsWith(own));
  return new Set(apps.filter((_, at) => isBeginning(prefixes[at])));
}

/** What of a namespace stays in a name that is cut and whose other characters are exchanged (`exposedName`): all but 9 of 64. */
function shownPrefix({ namespace }: Naming): string {
  return namespace.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 55);
}
