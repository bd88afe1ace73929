import { type StoppableApp, toolStopId, upstreamIds, upstreamOf } from "../stops/targets.ts";
import type { McpSessionRecord } from "../stores/mcp-sessions.ts";
import {
  deletionOf,
  keyOfStop,
  type StopIndex,
  type StopSubject,
  stopActors,
  stopOf,
  stopSubject,
} from "../stores/stop-subjects.ts";
import type { Stop } from "../stores/stops.ts";
import type { Identity, Principal } from "./identity.ts";

/** No token that does not say when it was issued is taken to live longer, milliseconds. */
const UNDATED_LIFE = 86_400_000;

/** Whose a token is, as far as stops ask. What its session began with can be older than the token. */
export function identitySubject(identity: Principal, ownIssuer: string | undefined, beganAt?: number): StopSubject {
  const { user, agent, issuer, memberId, claims, record, issuedAt, expiresAt } = identity;
  if (agent === undefined) {
    // A person in a browser is one of this region, whoever vouched for them.
    const since = beganAt ?? issuedAt;
    return {
      ...{ subject: user.sub, clients: [] },
      ...(memberId !== undefined && { memberId }),
      ...(since !== undefined && { beganAt: since }),
    };
  }
  const subject: StopSubject =
    record === undefined
      ? {
          issuer,
          ...(user !== undefined && { subject: user.sub }),
          clients: [agent.clientID],
          actors: stopActors(claims?.act, ownIssuer),
          beganAt: issuedAt ?? expiresAt - UNDATED_LIFE,
        }
      : stopSubject(record);
  return beganAt === undefined ? subject : { ...subject, beganAt };
}

/** What ends everything of an agent, or of the person that it acts for; undefined where nobody is authenticated. */
export function stopOfIdentity(
  index: StopIndex,
  identity: Principal | undefined,
  ownIssuer: string | undefined,
): Stop | undefined {
  return identity === undefined || index.size === 0 ? undefined : stopOf(index, identitySubject(identity, ownIssuer));
}

/** Who sends a request, in which session. */
interface InSession {
  readonly identity: Identity | undefined;
  readonly session?: { readonly record: SessionOrigin } | undefined;
}

type SessionOrigin = Pick<McpSessionRecord, "startedAt" | "keyPairId" | "apiClientId" | "agentId">;

/** The same, and what ends the session: its token can be newer than what ended the sessions of whom it is. */
export function stopOfCaller(
  index: StopIndex,
  { identity, session }: InSession,
  ownIssuer: string | undefined,
): Stop | undefined {
  if (identity === undefined || index.size === 0) return undefined;
  const stop = stopOfIdentity(index, identity, ownIssuer);
  if (stop !== undefined || session === undefined) return stop;
  const { startedAt, keyPairId, apiClientId, agentId } = session.record;
  // A session is the first organization's where its token is of none.
  const { organizationId } = identity;
  return (
    stopOf(index, identitySubject(identity, ownIssuer, startedAt)) ??
    stopOf(index, {
      ...(organizationId !== undefined && { organizationId }),
      ...(keyPairId !== undefined && { keyPairId }),
      clients: [apiClientId, agentId],
      beganAt: startedAt,
    })
  );
}

/** What a session keeps of the token that it begins with. */
export function sessionOrigin({ record }: Pick<Identity, "record">): Omit<SessionOrigin, "startedAt"> {
  const { keyPairId = record?.apiClientKeyPairId, apiClientId, agentId } = record ?? {};
  return {
    ...(keyPairId !== undefined && { keyPairId }),
    ...(apiClientId !== undefined && { apiClientId }),
    ...(agentId !== undefined && { agentId }),
  };
}

/** What of an app's is called. */
export type Called = Omit<StoppableApp, "catalog">;

/**
 * What stops calls of an app, of one of its tools by the name that policies see, or of the server behind it. An organization that
 * is not the first stops nothing but its own apps, also where others have the same server. Apps of one that was deleted serve nobody.
 */
export function stopOfCalled(index: StopIndex, app: Called, tool?: string): Stop | undefined {
  if (index.size === 0) return undefined;
  const keys = [
    keyOfStop({ kind: "app", id: app.name }),
    ...(tool === undefined ? [] : [keyOfStop({ kind: "tool", id: toolStopId(app.name, tool) })]),
    ...upstreamIds(upstreamOf(app)).map((id) => keyOfStop({ kind: "upstream", id })),
  ];
  const deleted = app.organization === undefined ? undefined : deletionOf(index, app.organization);
  if (deleted !== undefined) return deleted;
  return keys
    .flatMap((key) => index.get(key) ?? [])
    .find(({ organizationId }) => organizationId === undefined || organizationId === app.organization);
}
