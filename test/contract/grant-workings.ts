import { expect } from "vitest";
import type { AuditEvent, AuditEventType } from "../../lib/stores/audit-log.ts";
import type { AuthorizationCodeRecord, ConsentRecord, GrantRecord } from "../../lib/stores/grants.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { eventually } from "../support/eventually.ts";
import {
  authorizationCode,
  consent,
  consentEvent,
  grantOn,
  type OrganizationGrant,
  redemptionOf,
  referenceOf,
} from "./grant-records.ts";

export async function givenConsent({ grants }: Stores, fields: Partial<ConsentRecord> = {}): Promise<ConsentRecord> {
  const given = consent(fields);
  return grants.giveConsent(given, consentEvent(given, "consent.given"));
}

export async function revokeConsent({ grants }: Stores, given: ConsentRecord): Promise<boolean> {
  return grants.revokeConsent(given.subject, given.clientId, consentEvent(given, "consent.revoked"));
}

/** A consent, a chain on it, and the reference of its code. */
export async function startedChain(
  stores: Stores,
  fields: { readonly grant?: Partial<GrantRecord>; readonly code?: Partial<AuthorizationCodeRecord> } = {},
) {
  const given = await givenConsent(stores);
  const grant = grantOn(given, fields.grant);
  const code = authorizationCode(fields.code);
  const reference = referenceOf(grant);
  expect(await stores.grants.start(grant, code, reference)).toBe(true);
  return { consent: given, grant, code, reference };
}

/** A chain whose code was redeemed. */
export async function redeemedChain(stores: Stores, fields: Parameters<typeof startedChain>[1] = {}) {
  const started = await startedChain(stores, fields);
  const redemption = redemptionOf(started.grant, started.reference);
  expect(await stores.grants.redeem(redemption)).toBe("redeemed");
  return { ...started, redemption };
}

/** Ids of the chain's records of a type, sorted, once there are at least so many. */
export async function recordedOf(
  { auditLog }: Stores,
  { organizationId }: Pick<AuditEvent, "organizationId">,
  type: AuditEventType,
  atLeast: number,
): Promise<readonly string[]> {
  const { items } = await eventually(
    () => auditLog.query({ organizationId, type }, { limit: 100 }),
    (page) => page.items.length >= atLeast,
  );
  return idsOf(items);
}

export function idsOf(events: readonly AuditEvent[]): readonly string[] {
  return events.map(({ id }) => id).sort();
}

/** Expects nothing that came of the redemption to be alive. */
export async function expectEnded(
  { grants, tokens }: Stores,
  { grant, reference }: { readonly grant: OrganizationGrant; readonly reference: Parameters<typeof grants.code>[0] },
  { accessToken, refreshToken, now }: ReturnType<typeof redemptionOf>,
): Promise<void> {
  expect(await tokens.introspect(accessToken.reference, now)).toBeUndefined();
  expect(await tokens.isLive(accessToken.token)).toBe(false);
  expect(await grants.refreshToken(refreshToken.reference, now)).toBeUndefined();
  expect(await grants.code(reference, now)).toBeUndefined();
  expect(await grants.grant(grant.chainId, now)).toBeUndefined();
}
