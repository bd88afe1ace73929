import type { Identity } from "../../gateway/identity.ts";

/**
 * Whom a session belongs to (checklist 25): issuer, person and agent together, so that neither another agent of the person
 * nor another person of the agent is in it. A renewed token is of the same principal. Empty where nobody is authenticated.
 */
export function principalOf(identity: Identity | undefined): string {
  if (identity === undefined) return "";
  const { issuer, user, agent } = identity;
  return JSON.stringify([issuer, user?.sub ?? null, agent.clientID]);
}
