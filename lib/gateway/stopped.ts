import type { McpAppConfiguration } from "../config/app-configuration.ts";
import { toolStopId, upstreamIds, upstreamOf } from "../stops/targets.ts";
import { keyOfStop, type Stop, type StopIndex, type StopSubject, stopActors, stopOf } from "../stores/stops.ts";
import type { Identity } from "./identity.ts";

/** Whose a token is, as far as stops ask. What its session began with can be older than the token. */
export function identitySubject(
  { user, agent, issuer, organizationId, claims, issuedAt }: Identity,
  ownIssuer: string | undefined,
  beganAt: number | undefined = issuedAt,
): StopSubject {
  return {
    ...(issuer !== ownIssuer && { issuer }),
    ...(organizationId !== undefined && { organizationId }),
    ...(user !== undefined && { subject: user.sub }),
    clients: [agent.clientID],
    actors: stopActors(claims?.act),
    ...(beganAt !== undefined && { beganAt }),
  };
}

/** What ends everything of an agent, or of the person that it acts for; undefined where nobody is authenticated. */
export function stopOfIdentity(
  index: StopIndex,
  identity: Identity | undefined,
  ownIssuer: string | undefined,
  beganAt?: number,
): Stop | undefined {
  if (identity === undefined || index.size === 0) return undefined;
  return stopOf(index, identitySubject(identity, ownIssuer, beganAt));
}

/** What of an app's is called. */
export type Called = Pick<McpAppConfiguration, "name"> & { readonly baseURL?: string; readonly url?: string };

/** What stops calls of an app, of one of its tools by the name that policies see, or of the server behind it. */
export function stopOfCalled(index: StopIndex, app: Called, tool?: string): Stop | undefined {
  if (index.size === 0) return undefined;
  const keys = [
    keyOfStop({ kind: "app", id: app.name }),
    ...(tool === undefined ? [] : [keyOfStop({ kind: "tool", id: toolStopId(app.name, tool) })]),
    ...upstreamIds(upstreamOf(app)).map((id) => keyOfStop({ kind: "upstream", id })),
  ];
  return keys.flatMap((key) => index.get(key) ?? []).at(0);
}
