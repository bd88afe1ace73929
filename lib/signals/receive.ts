import { auditEvent } from "../audit/event.ts";
import type { RefusalPorts } from "../audit/refusals.ts";
import { equalSecrets } from "../kernel/equal-secrets.ts";
import type { WaitUntil } from "../kernel/refreshing-cache.ts";
import type { Logger } from "../logging/logger.ts";
import { bearerCredentials } from "../protocol/http/bearer.ts";
import { signalActor } from "../stops/signalled-stops.ts";
import { applyEvent, type EventPorts } from "./apply-event.ts";
import { type EventSource, verifySecurityEvent } from "./security-event.ts";
import { SetError, SignalNotTakenError } from "./set-error.ts";

export type ReceiverPorts = EventPorts & RefusalPorts;

/** Where an event came from. */
export interface Delivery {
  readonly logger: Pick<Logger, "info">;
  readonly waitUntil: WaitUntil;
  /** Absent: it was fetched. */
  readonly requestId?: string;
}

/**
 * Takes one event. What it brings about is durable when this resolves. One that came before is taken again and does nothing.
 *
 * @throws {SetError} it is refused, which is recorded
 * @throws {SignalNotTakenError} it has to be sent again
 * @throws StoreUnavailableError likewise
 */
export async function takeEvent(
  token: string,
  source: EventSource,
  ports: ReceiverPorts,
  delivery: Delivery,
): Promise<void> {
  const { logger, waitUntil, requestId } = delivery;
  const { connector } = source.settings;
  const sender = { connector, ...(requestId !== undefined && { requestId }) };
  try {
    const issuer = await source.issuer(waitUntil);
    if (issuer === undefined) throw new SignalNotTakenError("the metadata of the connector cannot be had");
    const event = await verifySecurityEvent(token, issuer, source, { clock: ports.clock, waitUntil });
    const isNew = await applyEvent(ports, { ...sender, issuer }, event);
    logger.info("security event taken", { connector, event: event.type.slice(0, LONGEST), isNew });
  } catch (error) {
    if (error instanceof SetError) await recordRefusal(error, ports, delivery, connector);
    throw error;
  }
}

/** Characters of a type in the log. */
const LONGEST = 256;

/**
 * Whether a transmitter presents the token that was agreed on.
 *
 * @throws {SetError} `authentication_failed`, which is recorded
 */
export async function authenticateTransmitter(
  authorization: string | undefined,
  { settings }: Pick<EventSource, "settings">,
  ports: ReceiverPorts,
  delivery: Delivery,
): Promise<void> {
  const { token, connector } = settings;
  if (token === undefined) return;
  const presented = bearerCredentials(authorization);
  if (presented.kind === "token" && equalSecrets(presented.token, token)) return;
  const error = new SetError(
    "authentication_failed",
    "The Authorization header does not present the agreed bearer token.",
  );
  await recordRefusal(error, ports, delivery, connector);
  throw error;
}

export async function recordRefusal(
  { code, message }: SetError,
  ports: ReceiverPorts,
  { logger, requestId }: Delivery,
  connector: string,
): Promise<void> {
  logger.info("security event refused", { connector, error: code, detail: message });
  const first = await ports.stores.directory.firstOrganization();
  const event = auditEvent(ports, {
    ...{ type: "signal.refused", outcome: "refused", actor: signalActor(connector), reason: code },
    ...(first !== undefined && { organizationId: first.organizationId }),
    ...(requestId !== undefined && { requestId }),
    details: { connector, error: code },
  });
  await ports.refusals.record(event);
}
