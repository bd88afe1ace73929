import { sha256base64url } from "#sha256";
import { auditEvent } from "../audit/event.ts";
import {
  type ConnectionAdministrationPorts,
  organizationsOfApps,
  takeBackConnectionsOfPerson,
} from "../connections/administration.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { StopPorts } from "../stops/requested-stop.ts";
import { applySignal, type SignalEffect, signalActor } from "../stops/signalled-stops.ts";
import type { AuditLog } from "../stores/audit-log.ts";
import { type Identities, type IdentityKey, personId } from "../stores/identities.ts";
import type { SingleUse } from "../stores/single-use.ts";
import { type EventMeaning, meaningOf } from "./event-meaning.ts";
import { accountOf } from "./event-subject.ts";
import type { SecurityEvent } from "./security-event.ts";
import { SignalNotTakenError } from "./set-error.ts";

/** The ports that events take from the instance. */
export type EventPorts = StopPorts &
  ConnectionAdministrationPorts & {
    readonly stores: {
      readonly singleUse: SingleUse;
      readonly auditLog: Pick<AuditLog, "append">;
      readonly identities: Pick<Identities, "findIdentity">;
    };
  };

/** Who sent an event. */
export interface EventSender {
  /** Name of the connector. */
  readonly connector: string;
  /** Of the connector, as its discovery document spells it. */
  readonly issuer: string;
  /** Absent: it was fetched. */
  readonly requestId?: string;
}

/**
 * Does what an event says, once, and records it. What it brings about is durable when this resolves, and only then does the event
 * count as taken: after a crash in between it does the same again.
 *
 * @returns false: it was taken before
 * @throws {SetError} its subject is none
 * @throws {SignalNotTakenError} there is no room for what it brings about
 */
export async function applyEvent(ports: EventPorts, sender: EventSender, event: SecurityEvent): Promise<boolean> {
  const { singleUse } = ports.stores;
  const key = sha256base64url(JSON.stringify([sender.connector, event.jti]));
  if (await singleUse.isUsed(NAMESPACE, key)) return false;
  const meaning = meaningOf(event.type, event.content);
  const account = meaning.about === "person" ? accountOf(event.subject, sender.issuer) : undefined;
  const effect = account === undefined ? "none" : await changePerson(ports, sender, event, { account, meaning });
  await record(ports, sender, event, { account, effect });
  return singleUse.consume(NAMESPACE, key, event.forgottenAt);
}

const NAMESPACE = "signal";

interface AboutPerson {
  readonly account: IdentityKey;
  readonly meaning: EventMeaning;
}

async function changePerson(
  ports: EventPorts,
  { connector, requestId }: EventSender,
  { at, jti, type }: SecurityEvent,
  { account, meaning }: AboutPerson,
): Promise<SignalEffect> {
  if (meaning.about !== "person") return "none";
  const { change, reason, isPurged } = meaning;
  const asked = { ...(requestId !== undefined && { requestId }) };
  try {
    const details = { event: kept(type), jti: kept(jti) };
    const effect = await applySignal(ports, { account, connector, change, at, reason, details, ...asked });
    if (isPurged) {
      const organizations = await organizationsOfApps(ports);
      const by = { id: signalActor(connector), ...asked };
      await takeBackConnectionsOfPerson(ports, by, { person: personId(account), organizations });
    }
    return effect;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw new SignalNotTakenError(error.message);
  }
}

/** Of the first organization, whose owners stop for the whole instance. */
async function record(
  ports: EventPorts,
  { connector, requestId }: EventSender,
  { type, jti, content, at }: SecurityEvent,
  { account, effect }: { readonly account: IdentityKey | undefined; readonly effect: SignalEffect },
): Promise<void> {
  const { directory, identities, auditLog } = ports.stores;
  const [first, linked] = await Promise.all([
    directory.firstOrganization(),
    account === undefined ? undefined : identities.findIdentity(account),
  ]);
  const { state } = content;
  const event = auditEvent(ports, {
    ...{ type: "signal.received", outcome: "success", actor: signalActor(connector) },
    ...(first !== undefined && { organizationId: first.organizationId }),
    ...(account !== undefined && { user: personId(account) }),
    ...(requestId !== undefined && { requestId }),
    details: {
      ...{ connector, event: kept(type), jti: kept(jti), effect, eventTime: new Date(at).toISOString() },
      ...(linked !== undefined && { memberId: linked.userId }),
      ...(typeof state === "string" && { state: kept(state) }),
    },
  });
  await auditLog.append(event);
}

/** The longest text of a transmitter in a record, in characters. */
const LONGEST = 256;

/** The transmitter may send half of a character, or the cut may leave one. Not every store accepts that. */
function kept(text: string): string {
  return text.slice(0, LONGEST).toWellFormed();
}
