import type { ConsentRecord } from "./grants.ts";

/**
 * What giving a consent makes of the one that is there, with its id. It allows each of its scopes at each of its resources,
 * so it is widened only where all of that was allowed; otherwise the newer one stands, and the person is asked again for the
 * older. Undefined when it allows all of the newer one already.
 */
export function widenedConsent(kept: ConsentRecord, given: ConsentRecord): ConsentRecord | undefined {
  const isSameScopes = contains(kept.scopes, given.scopes) && contains(given.scopes, kept.scopes);
  const isSameResources = contains(kept.resources, given.resources) && contains(given.resources, kept.resources);
  if (contains(kept.scopes, given.scopes) && contains(kept.resources, given.resources)) return undefined;
  return {
    ...kept,
    scopes: isSameResources ? union(kept.scopes, given.scopes) : given.scopes,
    resources: isSameScopes ? union(kept.resources, given.resources) : given.resources,
    updatedAt: given.updatedAt,
  };
}

function contains(all: readonly string[], some: readonly string[]): boolean {
  return some.every((one) => all.includes(one));
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}
