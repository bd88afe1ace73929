import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { SignalsConfiguration } from "../../lib/config/signals-configuration.ts";
import type { AuditEvent, AuditEventType } from "../../lib/stores/audit-log.ts";
import type { Stop } from "../../lib/stores/stops.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";
import { CORP } from "../support/oauth-apps.ts";
import { type EventFields, eventRequest, signedEvent, type Transmitter } from "../support/transmitter.ts";

/** The product, which receives events about people of a real identity provider. */
export interface Receiving {
  readonly product: InProcess;
  readonly transmitter: Transmitter;
  /** Seconds since the epoch, of the product's clock. */
  now(): number;
  /** An event of now; its subject is of the provider unless it is given. */
  event(fields: EventFields, sub?: string): Promise<string>;
  push(token: string, headers?: Readonly<Record<string, string>>, address?: string): Promise<Response>;
  /** Pushes an event of now. @returns the status, and the body's members */
  pushed(fields: EventFields, sub?: string): Promise<{ readonly status: number; readonly err?: string }>;
  stops(): Promise<readonly Stop[]>;
  records(type: AuditEventType): Promise<readonly AuditEvent[]>;
  stop(): Promise<void>;
}

export interface ReceivingOptions {
  readonly signals?: Partial<SignalsConfiguration>;
  readonly adapt?: (dependencies: Dependencies) => Dependencies;
}

export const AUDIENCE = `${ISSUER}/signals/corp`;

export async function startReceiving({ signals = {}, adapt }: ReceivingOptions = {}): Promise<Receiving> {
  const corp = await startIdentityProvider();
  const product = await startInProcess({
    configuration: {
      connectors: [{ ...CORP, wellKnownURL: corp.wellKnown }],
      signals: [{ connector: "corp", audience: [AUDIENCE], ...signals }],
    },
    ...(adapt !== undefined && { adapt }),
  });
  const { dependencies, clock } = product;
  const transmitter = { issuer: corp.issuer, audience: AUDIENCE, key: corp.key };
  const now = () => Math.floor(clock.now() / 1_000);
  const event: Receiving["event"] = (fields, sub) =>
    signedEvent(transmitter, {
      ...(sub !== undefined && { subject: { format: "iss_sub", iss: corp.issuer, sub } }),
      at: now(),
      ...fields,
    });
  const push: Receiving["push"] = (token, headers, address) =>
    product.send("/signals/corp", eventRequest(token, headers), address);
  return {
    ...{ product, transmitter, now, event, push },
    pushed: async (fields, sub) => {
      const answer = await push(await event(fields, sub));
      const text = await answer.text();
      return { status: answer.status, ...(text !== "" && JSON.parse(text)) };
    },
    stops: async () => (await dependencies.stores.stops.readStops()).stops,
    records: async (type) => {
      const organizationId = (await dependencies.stores.directory.firstOrganization())?.organizationId;
      return (await dependencies.stores.auditLog.query({ organizationId, type }, { limit: 50 })).items;
    },
    stop: async () => {
      await product.close();
      await corp.stop();
    },
  };
}
