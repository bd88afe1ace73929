import type { JsonObject } from "../kernel/json.ts";
import { sourceKey } from "../net/source.ts";
import type { StoppableRecord } from "../stores/stop-subjects.ts";

/** Who stands behind a request: the agent, and the person it acts for. */
export interface Identity {
  /** Absent when the agent acts for itself. */
  readonly user?: { readonly sub: string } & Readonly<Record<string, unknown>>;
  readonly agent: { readonly clientID: string };
  /** The authorization server that vouches for all of this. */
  readonly issuer: string;
  /** The organization of the agent; absent unless the token is of this instance, which alone knows it. */
  readonly organizationId?: string;
  readonly scopes: readonly string[];
  /** Actors of the token's `act` claim, the current one first (RFC 8693 §4.1). */
  readonly actChain: readonly string[];
  /** What the store knows of the token, where it is of this instance: whose it is, and what it descends from. */
  readonly record?: StoppableRecord;
  /** `user_…`: the person in the directory of this region, where they have linked the account that they signed in with. */
  readonly memberId?: string;
  /** `user_…`: who tries a tool in the Console. */
  readonly trialBy?: string;
  readonly tokenId?: string;
  /** What the token says, or what its server said of it. */
  readonly claims?: JsonObject;
  /** When the token was issued, as far as it says so. Milliseconds since the epoch. */
  readonly issuedAt?: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * A person in a browser: no agent acts for them. `user.sub` is the id of their account (`personId`), which tokens of this instance have,
 * too; without `memberId` they belong to no organization.
 */
export interface PersonIdentity extends Omit<Identity, "agent" | "user"> {
  readonly agent?: undefined;
  readonly user: NonNullable<Identity["user"]>;
}

/** Who is decided about: an agent, with or without a person, or a person alone. */
export type Principal = Identity | PersonIdentity;

/**
 * Whom a session belongs to (checklist 25): issuer, person and agent together, so that neither another agent of the person
 * nor another person of the agent is in it. A renewed token is of the same principal. Empty where nobody is authenticated.
 */
export function principalOf(identity: Principal | undefined): string {
  if (identity === undefined) return "";
  const { issuer, user, agent } = identity;
  return JSON.stringify([issuer, user?.sub ?? null, agent?.clientID ?? null]);
}

/** Who sends a request, and from where. */
export interface Sender {
  readonly identity: Principal | undefined;
  readonly request: { readonly remoteAddress: string | undefined };
}

/** Whose share of the instance a request uses: its principal's, or its address's where nobody is authenticated. */
export function callerKey({ identity, request }: Sender): string {
  return identity === undefined ? sourceKey(request.remoteAddress) : principalOf(identity);
}
