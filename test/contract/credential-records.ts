import { base64url } from "../../lib/kernel/encoding.ts";
import { uuid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { IdentityRecord } from "../../lib/stores/identities.ts";
import type { PasskeyRecord, PasskeyUse } from "../../lib/stores/passkeys.ts";
import type { SettingsRecord } from "../../lib/stores/settings.ts";
import { auditEvent, newOrganizationId } from "./records.ts";

export function newUserId(): string {
  return `user_${uuid(random)}`;
}

/** A passkey of a person of its own that was never used. */
export function passkey(fields: Partial<PasskeyRecord> = {}): PasskeyRecord {
  return {
    credentialId: base64url(random.bytes(32)),
    userId: newUserId(),
    name: "Mein Schlüssel \u{1F511}",
    publicKey: base64url(random.bytes(77)),
    counter: 0,
    transports: ["internal", "hybrid"],
    backupEligible: true,
    backedUp: false,
    createdAt: Date.now(),
    ...fields,
  };
}

/** A use of the passkey as it is, by default with an authenticator that counts. */
export function passkeyUse({ credentialId, counter }: PasskeyRecord, fields: Partial<PasskeyUse> = {}): PasskeyUse {
  return {
    credentialId,
    formerCounter: counter,
    counter: counter + 1,
    backedUp: true,
    usedAt: Date.now(),
    ...fields,
  };
}

/** The passkey after the use. */
export function used(before: PasskeyRecord, { counter, backedUp, usedAt }: PasskeyUse): PasskeyRecord {
  return { ...before, counter, backedUp, lastUsedAt: usedAt };
}

/** An account of a person of its own. */
export function identity(fields: Partial<IdentityRecord> = {}): IdentityRecord {
  return {
    issuer: "https://accounts.example",
    subject: uuid(random),
    userId: newUserId(),
    connector: "example",
    label: "ada@example.com",
    createdAt: Date.now(),
    ...fields,
  };
}

export function settings(revision: number, fields: Partial<SettingsRecord> = {}): SettingsRecord {
  return {
    revision,
    values: { serverName: "Bücher", sessionTimeout: "1h" },
    updatedAt: Date.now(),
    updatedBy: newUserId(),
    ...fields,
  };
}

/** In an organization of its own, so that its records are found by themselves. */
export function credentialEvent(type: AuditEvent["type"]): AuditEvent & { readonly organizationId: string } {
  const organizationId = newOrganizationId();
  return { ...auditEvent({ type, organizationId }), organizationId };
}
