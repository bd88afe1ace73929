import type { McpAppConfiguration } from "../../config/app-configuration.ts";
import { firstNaming } from "../../config/tool-names.ts";
import type { UserTokenConfiguration } from "../../config/user-token-configuration.ts";
import { type CallConnections, type ConnectionWant, personOf } from "../../connections/person-connections.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
import type { Principal } from "../identity.ts";
import type { OrganizationOf } from "../organization.ts";
import type { OutboundCredential } from "../tool-call.ts";

/** What a call needs of the connection of its person. */
export interface ConnectionTerms {
  readonly outbound: UserTokenConfiguration;
  /** Those of every connection, and those of the tool. */
  readonly scopes: readonly string[];
}

/** Of the tools of an app: the first matching entry adds its scopes (D214); undefined where calls do not carry a token of the person. */
export function connectionTerms({
  outbound,
}: Pick<McpAppConfiguration, "outbound">): (localName: string) => ConnectionTerms | undefined {
  if (outbound.type !== "userToken") return () => undefined;
  const entryOf = firstNaming(outbound.tools, ({ name }) => [name]);
  return (localName) => ({
    outbound,
    scopes: [...new Set([...outbound.scopes, ...(entryOf(localName)?.scopes ?? [])])],
  });
}

/** What the person has to connect before a call can be made: plain data, for whoever tells the agent. */
export interface NotConnected {
  readonly want: ConnectionWant;
  readonly connector: string;
  readonly why: "none" | "reconnect" | "scopes";
  readonly missing: readonly string[];
}

export type PersonTokenOutcome =
  | { readonly outcome: "obtained"; readonly token: string; readonly want: ConnectionWant }
  /** The agent acts for itself. */
  | { readonly outcome: "no_person" }
  | { readonly outcome: "not_connected"; readonly needs: NotConnected }
  | { readonly outcome: "unavailable"; readonly reason: string };

export interface PersonTokenPorts {
  readonly connections: Pick<CallConnections, "obtain">;
  readonly organizationOf: OrganizationOf;
  readonly ownIssuer: string | undefined;
}

/** Who calls, and in which request. */
export interface PersonCall {
  readonly identity: Principal | undefined;
  readonly request: RequestContext;
}

/**
 * The token of the person behind a call at the app's provider. Nothing is kept of it here.
 *
 * @param refused a token that the upstream does not take
 */
export async function obtainPersonToken(
  app: Pick<McpAppConfiguration, "name" | "organization">,
  { outbound, scopes }: ConnectionTerms,
  { identity, request }: PersonCall,
  { connections, organizationOf, ownIssuer }: PersonTokenPorts,
  refused?: string,
): Promise<PersonTokenOutcome> {
  const person = identity && personBehind(identity, ownIssuer);
  if (identity === undefined || person === undefined) return { outcome: "no_person" };
  const organizationId = (await organizationOf(app)) ?? "";
  const { issuer, agent } = identity;
  const want = {
    ...{ organizationId, person, app: app.name, outbound, agent: agent?.clientID ?? "", scopes },
    ...(agent !== undefined && issuer !== ownIssuer && { agentIssuer: issuer }),
  };
  const outcome = await connections.obtain(want, request, refused);
  switch (outcome.outcome) {
    case "obtained":
      return { outcome: "obtained", token: outcome.token, want };
    case "unavailable":
      return outcome;
    case "not_connected": {
      const { connector, why, missing } = outcome;
      return { outcome: "not_connected", needs: { want, connector, why, missing } };
    }
  }
}

/** A person in a browser is named as connections name people. */
export function personBehind(identity: Principal, ownIssuer: string | undefined): string | undefined {
  return identity.agent === undefined ? identity.user.sub : personOf(identity, ownIssuer);
}

/** Scopes of one challenge that are read, and characters of each. */
const MOST_SCOPES = 20;
const LONGEST_SCOPE = 200;
/** RFC 6749 §3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * What the person has to connect where an upstream takes the token and asks for more scopes (RFC 6750 §3.1): undefined where it does
 * not, or names none beyond those that the call asked for already, so that to connect again would change nothing.
 *
 * @param challenge the value of `WWW-Authenticate`
 */
export function insufficientScope(
  status: number,
  challenge: string | null | undefined,
  { want, token }: Pick<OutboundCredential, "token" | "want">,
): NotConnected | undefined {
  if (want === undefined || status !== 403 || !challenge || !/\berror="?insufficient_scope\b/.test(challenge))
    return undefined;
  const named = /\bscope="([^"]*)"/.exec(challenge)?.[1]?.split(" ") ?? [];
  // Scopes are shown to the agent and recorded: an upstream could write the token among them.
  const isSecret = (scope: string) => token !== undefined && scope.includes(token);
  const isMissing = (scope: string) =>
    SCOPE.test(scope) && scope.length <= LONGEST_SCOPE && !isSecret(scope) && !want.scopes.includes(scope);
  const missing = [...new Set(named.filter(isMissing))].slice(0, MOST_SCOPES);
  if (missing.length === 0) return undefined;
  return { want: wantingMore(want, missing), connector: want.outbound.connector, why: "scopes", missing };
}

/** The same want with more scopes. */
export function wantingMore(want: ConnectionWant, scopes: readonly string[]): ConnectionWant {
  return { ...want, scopes: [...new Set([...want.scopes, ...scopes])] };
}
