import type { UserTokenConfiguration } from "../config/user-token-configuration.ts";
import { personId } from "../stores/identities.ts";
import type { RequestContext } from "../telemetry/request-context.ts";

/** Which connection a call needs, and with what scopes. */
export interface ConnectionWant {
  /** As in the call's audit record; empty where the instance has no organization. */
  readonly organizationId: string;
  /** As `personOf` names them. */
  readonly person: string;
  readonly app: string;
  readonly outbound: UserTokenConfiguration;
  /** Client id of the agent that calls; whether the connection is its alone, `outbound.perAgent` says. Empty: the person, in a browser. */
  readonly agent: string;
  /** Of its token, where that is not this instance's own: client ids of two servers may be the same. */
  readonly agentIssuer?: string;
  readonly scopes: readonly string[];
  /** The page of a web app to which the person comes back after connecting. */
  readonly returnTo?: string;
}

/** What came of asking for the token of a connection: plain data. */
export type ConnectionOutcome =
  | { readonly outcome: "obtained"; readonly token: string; readonly connectionId: string }
  | {
      readonly outcome: "not_connected";
      /** `scopes`: there is a connection, with fewer scopes than the call needs. */
      readonly why: "none" | "reconnect" | "scopes";
      readonly missing: readonly string[];
      readonly connector: string;
    }
  /** Nobody knows now; `reason` is a short code. */
  | { readonly outcome: "unavailable"; readonly reason: string };

/** Where the person connects: it names the request and is no credential. */
export interface ConnectLink {
  readonly id: string;
  readonly url: string;
}

/** The agent's session, which is told when the person has connected. */
export interface AskingSession {
  readonly sessionHash: string;
  /** It was asked by URL elicitation (MCP 2025-11-25), so that it hears of its completion, too. */
  readonly isElicited: boolean;
}

/** What calls ask of people's connections. */
export interface CallConnections {
  /** @param refused a token that the upstream answered 401 to: it is refreshed once */
  obtain(want: ConnectionWant, request: RequestContext, refused?: string): Promise<ConnectionOutcome>;
  /**
   * Stores a request of the agent to connect, or finds the one of the same want and session that is still there. Undefined: there were
   * too many for this person and app lately.
   */
  ask(want: ConnectionWant, request: RequestContext, session?: AskingSession): Promise<ConnectLink | undefined>;
  /** True as soon as the person is connected with these scopes; false after so many milliseconds, or when the signal aborts. */
  connected(want: ConnectionWant, milliseconds: number, signal: AbortSignal): Promise<boolean>;
}

/**
 * The person behind an identity: `user_…`. Tokens of this instance name it so themselves; the people of other issuers are known by
 * issuer and subject. Undefined: the agent acts for itself.
 */
export function personOf(
  { issuer, user }: { readonly issuer: string; readonly user?: { readonly sub: string } },
  ownIssuer: string | undefined,
): string | undefined {
  if (user === undefined) return undefined;
  return issuer === ownIssuer ? user.sub : personId({ issuer, subject: user.sub });
}
