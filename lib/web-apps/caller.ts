import { isOfCurrentIssuer } from "../authorization-server/authorize/signed-in-person.ts";
import type { WebAppConfiguration, WebPolicyConfiguration } from "../config/web-app-configuration.ts";
import { type SessionPorts, signInsOf } from "../directory/browser-sessions.ts";
import type { KnownSessions } from "../directory/known-sessions.ts";
import type { OrganizationOf } from "../gateway/organization.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ConnectorSignIn } from "../stores/directory.ts";
import type { Stop } from "../stores/stops.ts";
import type { Cookies } from "./attempt.ts";
import { type ClaimsRefreshPorts, type ClaimsUse, withFreshClaims } from "./claims-refresh.ts";
import { type StopAtAppPorts, stopAtApp } from "./stop-at-app.ts";

/** A person whose browser has a session that is good for the policy. */
export interface KnownPerson {
  readonly kind: "person";
  /** Names the session, and is no secret. */
  readonly sessionHash: string;
  /** `user_…`: the account that began the session. */
  readonly userId: string;
  /** At a connector of the policy's; its `issuer` and `subject` say who it is. */
  readonly signIn: ConnectorSignIn;
  /** Claims by the connector that told them, with `sub`, also of connectors that the policy does not name. */
  readonly attributes: Readonly<Record<string, JsonObject>>;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A person who is known, and is suspended where the app is. */
export interface StoppedPerson {
  readonly kind: "stopped";
  readonly sessionHash: string;
  readonly userId: string;
  readonly stop: Stop;
}

export interface CallerPorts extends Omit<ClaimsRefreshPorts, "knownSessions"> {
  readonly instanceStops: SessionPorts["instanceStops"];
  readonly knownSessions: ClaimsRefreshPorts["knownSessions"] & Pick<KnownSessions, "resume">;
  readonly organizationOf: OrganizationOf;
  readonly stores: StopAtAppPorts["stores"] & ClaimsRefreshPorts["stores"];
}

/**
 * Who the session's cookie says it is. Undefined for nobody: without a live session, of a person who is stopped in the whole
 * instance, whose claims could not be renewed, and where no sign-in of the session is at a connector of the policy's that still
 * has the same issuer.
 *
 * @param hostname of the request, without a port
 * @throws StoreUnavailableError
 */
export async function knownPerson(
  cookies: Cookies,
  hostname: string,
  { idps }: Pick<WebPolicyConfiguration, "idps">,
  app: Pick<WebAppConfiguration, "name" | "organization">,
  ports: CallerPorts,
  request: ClaimsUse["request"],
): Promise<KnownPerson | StoppedPerson | undefined> {
  const { configuration } = ports.configuration();
  const { cookieName } = configuration.session;
  const cookie = Object.hasOwn(cookies, cookieName) ? cookies[cookieName] : undefined;
  if (cookie === undefined || idps.length === 0) return undefined;
  const resumed = await ports.knownSessions.resume(cookie, hostname);
  if (resumed === undefined) return undefined;
  const organizationId = await ports.organizationOf(app);
  const session = await withFreshClaims(resumed, { app: app.name, organizationId, request }, ports);
  if (session === undefined) return undefined;
  const signIns = signInsOf(session).filter((signIn) => isOfCurrentIssuer(signIn, configuration.connectors));
  const signIn = signIns.find(({ connector }) => idps.includes(connector));
  if (signIn === undefined) return undefined;
  const { sessionHash, userId, createdAt, expiresAt } = session;
  const stop = await stopAtApp(ports, session, { organizationId, isOfAll: app.organization === undefined });
  // What began before its end is nobody's any more: the person signs in anew.
  if (stop?.state === "ended") return undefined;
  if (stop !== undefined) return { kind: "stopped", sessionHash, userId, stop };
  return { kind: "person", sessionHash, userId, signIn, attributes: attributesOf(signIns), createdAt, expiresAt };
}

/** Claims by connector, as headers and comparisons name them. */
export function attributesOf(signIns: readonly ConnectorSignIn[]): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(signIns.map(({ connector, claims, subject }) => [connector, { ...claims, sub: subject }]));
}
