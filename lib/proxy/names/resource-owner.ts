import type { Naming } from "./namespaced.ts";
import { unwrapURI } from "./resource-uri.ts";

/** A resource as one upstream knows it. */
export interface OwnedResource<A extends Naming> {
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
