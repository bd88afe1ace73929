import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { IdentityKey, IdentityRecord } from "../../lib/stores/identities.ts";
import type { PasskeyRecord, PasskeyUse } from "../../lib/stores/passkeys.ts";
import type { SettingsRecord } from "../../lib/stores/settings.ts";
import { findIdentity, linkIdentity, listIdentities, unlinkIdentity } from "../../lib/stores/sql/identities.ts";
import { addPasskey, getPasskey, listPasskeys, notePasskeyUse, removePasskey } from "../../lib/stores/sql/passkeys.ts";
import { readSettings, replaceSettings } from "../../lib/stores/sql/settings.ts";
import { announce } from "./announce.ts";
import { RegistryMembers } from "./registry-members.ts";

/** The registry's passkeys, identities and settings. */
export abstract class RegistryCredentials extends RegistryMembers {
  addPasskey(passkey: PasskeyRecord, event: AuditEvent): Promise<boolean> {
    return announce(this.state, undefined, (consequences) => addPasskey(this.state.db, consequences, passkey, event));
  }

  getPasskey(credentialId: string): PasskeyRecord | undefined {
    return getPasskey(this.state.db, credentialId);
  }

  listPasskeys(userId: string): readonly PasskeyRecord[] {
    return listPasskeys(this.state.db, userId);
  }

  notePasskeyUse(use: PasskeyUse): boolean {
    return notePasskeyUse(this.state.db, use);
  }

  removePasskey(userId: string, credentialId: string, event: AuditEvent): Promise<boolean> {
    return announce(this.state, undefined, (consequences) =>
      removePasskey(this.state.db, consequences, userId, credentialId, event),
    );
  }

  linkIdentity(identity: IdentityRecord, event: AuditEvent): Promise<boolean> {
    return announce(this.state, undefined, (consequences) =>
      linkIdentity(this.state.db, consequences, identity, event),
    );
  }

  findIdentity(key: IdentityKey): IdentityRecord | undefined {
    return findIdentity(this.state.db, key);
  }

  listIdentities(userId: string): readonly IdentityRecord[] {
    return listIdentities(this.state.db, userId);
  }

  unlinkIdentity(userId: string, key: IdentityKey, event: AuditEvent): Promise<boolean> {
    return announce(this.state, undefined, (consequences) =>
      unlinkIdentity(this.state.db, consequences, userId, key, event),
    );
  }

  settings(): SettingsRecord {
    return readSettings(this.state.db);
  }

  replaceSettings(record: SettingsRecord, event: AuditEvent): Promise<boolean> {
    return announce(this.state, undefined, (consequences) =>
      replaceSettings(this.state.db, consequences, record, event),
    );
  }
}
