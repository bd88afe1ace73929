import { type AuditEventPorts, auditEvent } from "../audit/event.ts";
import { isOfCurrentIssuer } from "../authorization-server/authorize/signed-in-person.ts";
import { usefulClaims } from "../authorization-server/person-claims.ts";
import type { Connector } from "../connectors/connectors.ts";
import type { ConnectorPorts } from "../connectors/ports.ts";
import { type ClaimsAnswer, renewClaims } from "../connectors/renew-claims.ts";
import { type ApplicationSession, signInsOf } from "../directory/browser-sessions.ts";
import { endKnownSession, type KnownSessions } from "../directory/known-sessions.ts";
import { type RefreshTokenPorts, refreshTokenOf, renewalAfter } from "../directory/refresh-tokens.ts";
import { pause } from "../kernel/timers.ts";
import type { ClaimsRenewal, ClaimsRenewals, ConnectorSignIn } from "../stores/directory.ts";
import type { Stores } from "../stores/stores.ts";
import type { RequestContext } from "../telemetry/request-context.ts";

export interface ClaimsRefreshPorts extends RefreshTokenPorts, AuditEventPorts, Pick<ConnectorPorts, "outbound"> {
  readonly connectors: readonly Connector[];
  readonly knownSessions: Pick<KnownSessions, "resumeAnew" | "forget">;
  readonly stores: {
    readonly directory: Pick<Stores["directory"], "renewSignIns" | "deleteBrowserSession">;
    readonly auditLog: Pick<Stores["auditLog"], "append">;
  };
}

/** The request that a session is used for. */
export interface ClaimsUse {
  /** The web app that is asked, and who owns its records. */
  readonly app: string;
  readonly organizationId: string | undefined;
  readonly request: Pick<RequestContext, "requestId" | "logger" | "waitUntil">;
}

/** How long one request may take to renew claims, milliseconds: three exchanges with a connector. */
const LEASE = 20_000;
/** Until a connector that did not answer is asked again. */
const RETRY = 30_000;
/** How long a request waits for another one that renews claims which are too old, and between two looks. */
const WAIT = 25_000;
const LOOK = 100;

/**
 * A session whose claims are new enough (D208); undefined: it ended, because a connector refused to renew them or did not answer
 * for too long. The request that leases the renewal waits for it. Others go on with the former claims, unless these are so old
 * that nobody may: then they wait, too, by looking into the store, as no request may wait for another's promises (D29).
 */
export async function withFreshClaims(
  session: ApplicationSession,
  use: ClaimsUse,
  ports: ClaimsRefreshPorts,
): Promise<ApplicationSession | undefined> {
  let current: ApplicationSession | undefined = session;
  for (let waited = 0; current !== undefined && waited <= WAIT; ) {
    const now = ports.clock.now();
    const due = dueSignIns(current, now, ports);
    const { renewals } = current;
    if (renewals === undefined || due.length === 0) return current;
    if ((renewals.leasedUntil ?? 0) <= now) {
      const leased = await lease(current, renewals, now + LEASE, ports);
      if (leased !== undefined) return whileKept(renew(leased, due, use, ports), use);
    } else if (!due.some((one) => isTooOld(one, now))) {
      return current;
    } else {
      await pause(LOOK);
      waited += LOOK;
    }
    current = await ports.knownSessions.resumeAnew(current.sessionHash);
  }
  return undefined;
}

/** A sign-in whose claims are to be renewed now. */
interface DueSignIn {
  readonly signIn: ConnectorSignIn;
  readonly connector: Connector;
  readonly renewal: ClaimsRenewal;
  /** Milliseconds. */
  readonly interval: number;
}

function dueSignIns(
  session: ApplicationSession,
  now: number,
  { connectors, configuration }: Pick<ClaimsRefreshPorts, "connectors" | "configuration">,
): readonly DueSignIn[] {
  const tokens = session.renewals?.tokens ?? {};
  return signInsOf(session).flatMap((signIn) => {
    const renewal = Object.hasOwn(tokens, signIn.connector) ? tokens[signIn.connector] : undefined;
    if (renewal === undefined || now < (renewal.retryAt ?? renewal.renewAt)) return [];
    const connector = connectors.find(({ settings }) => settings.name === signIn.connector);
    const interval = connector?.settings.claimsRefresh;
    // Of a connector that is gone, or has another provider now, nothing is used.
    const isUsed = isOfCurrentIssuer(signIn, configuration().configuration.connectors);
    return connector === undefined || interval === undefined || !isUsed
      ? []
      : [{ signIn, connector, renewal, interval }];
  });
}

/** Claims serve for one interval more while the connector does not answer: an outage must not sign everybody out at once. */
function deadlineOf({ renewal, interval }: DueSignIn): number {
  return renewal.renewAt + interval;
}

function isTooOld(due: DueSignIn, now: number): boolean {
  return now >= deadlineOf(due);
}

type LeasedSession = ApplicationSession & { readonly renewals: ClaimsRenewals; readonly revision: number };

/** Undefined: another request was faster, in this instance or elsewhere, or the session is gone. */
async function lease(
  session: ApplicationSession,
  { tokens }: ClaimsRenewals,
  leasedUntil: number,
  { stores }: ClaimsRefreshPorts,
): Promise<LeasedSession | undefined> {
  const revision = session.revision ?? 0;
  const renewals = { tokens, leasedUntil };
  const isLeased = await stores.directory.renewSignIns(session.sessionHash, revision, { renewals });
  return isLeased ? { ...session, renewals, revision: revision + 1 } : undefined;
}

/** A client that leaves meanwhile does not end it: the connector may have changed the token already. */
function whileKept<Result>(work: Promise<Result>, { request }: ClaimsUse): Promise<Result> {
  request.waitUntil(work.then(() => undefined));
  return work;
}

async function renew(
  session: LeasedSession,
  due: readonly DueSignIn[],
  use: ClaimsUse,
  ports: ClaimsRefreshPorts,
): Promise<ApplicationSession | undefined> {
  const asked = await Promise.all(due.map(async (one) => ({ ...one, answer: await ask(one, use, ports) })));
  const now = ports.clock.now();
  for (const { connector, answer } of asked) {
    if (answer.kind === "renewed") continue;
    const fields = { connector: connector.settings.name, app: use.app, outcome: answer.kind, reason: answer.reason };
    use.request.logger.info("claims not renewed", fields);
  }
  const over =
    asked.find(({ answer }) => answer.kind === "refused") ??
    asked.find((one) => one.answer.kind === "unavailable" && isTooOld(one, now));
  if (over !== undefined) {
    const reason = over.answer.kind === "refused" ? "refresh_refused" : "claims_outdated";
    await end(session, { reason, connector: over.connector.settings.name }, use, ports);
    return undefined;
  }
  const signIns = signInsOf(session).map((signIn) => {
    const answer = asked.find((one) => one.signIn === signIn)?.answer;
    return answer?.kind === "renewed" ? answer.signIn : signIn;
  });
  const renewed = await Promise.all(
    asked.map(async (one) => [one.connector.settings.name, await after(one, now, ports)]),
  );
  const tokens = { ...session.renewals.tokens, ...Object.fromEntries(renewed) };
  // False: the session ended meanwhile, or goes on in another record.
  await ports.stores.directory.renewSignIns(session.sessionHash, session.revision, { signIns, renewals: { tokens } });
  return ports.knownSessions.resumeAnew(session.sessionHash);
}

async function ask(
  { signIn, connector, renewal }: DueSignIn,
  { request }: ClaimsUse,
  ports: ClaimsRefreshPorts,
): Promise<ClaimsAnswer> {
  const refreshToken = await refreshTokenOf(renewal, signIn, ports);
  if (refreshToken === undefined) return { kind: "refused", reason: "the refresh token cannot be read any more" };
  const metadata = await connector.metadata.get(request.waitUntil);
  if (metadata === undefined) return { kind: "unavailable", reason: "the connector is not available" };
  const claims = usefulClaims(signIn.connector, ports.configuration().configuration);
  return renewClaims(connector, metadata, { signIn, refreshToken, claims }, ports);
}

async function after(
  due: DueSignIn & { readonly answer: ClaimsAnswer },
  now: number,
  ports: ClaimsRefreshPorts,
): Promise<ClaimsRenewal> {
  const { answer, renewal, interval } = due;
  if (answer.kind === "renewed") return renewalAfter(answer.refreshToken, answer.signIn, interval, ports);
  return { ...renewal, retryAt: Math.min(now + RETRY, deadlineOf(due)) };
}

async function end(
  { sessionHash, userId }: ApplicationSession,
  { reason, connector }: { readonly reason: "refresh_refused" | "claims_outdated"; readonly connector: string },
  { app, organizationId, request }: ClaimsUse,
  ports: ClaimsRefreshPorts,
): Promise<void> {
  await endKnownSession(ports, sessionHash);
  await ports.stores.auditLog.append(
    auditEvent(ports, {
      type: "web_session.ended",
      outcome: "success",
      ...(organizationId !== undefined && { organizationId }),
      ...{ actor: userId, user: userId, app, reason, requestId: request.requestId },
      details: { connector },
    }),
  );
}
