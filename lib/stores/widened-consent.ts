import type { ConsentRecord } from "./grants.ts";

/**
 * What giving a consent makes of the one that is there: widened by the scopes and resources, with its id. Undefined when it
 * allows all of that already.
 */
export function widenedConsent(kept: ConsentRecord, given: ConsentRecord): ConsentRecord | undefined {
  const scopes = [...new Set([...kept.scopes, ...given.scopes])];
  const resources = [...new Set([...kept.resources, ...given.resources])];
  if (scopes.length === kept.scopes.length && resources.length === kept.resources.length) return undefined;
  return { ...kept, scopes, resources, updatedAt: given.updatedAt };
}
