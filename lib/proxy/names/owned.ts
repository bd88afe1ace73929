import type { Naming } from "./namespaced.ts";

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
