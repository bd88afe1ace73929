import type { ApiClients } from "./api-clients.ts";
import type { AuditLog } from "./audit-log.ts";
import type { Directory } from "./directory.ts";
import type { Grants } from "./grants.ts";
import type { Identities } from "./identities.ts";
import type { Invitations } from "./invitations.ts";
import type { McpSessions } from "./mcp-sessions.ts";
import type { Members } from "./members.ts";
import type { Passkeys } from "./passkeys.ts";
import type { RegisteredClients } from "./registered-clients.ts";
import type { Settings } from "./settings.ts";
import type { SigningKeys } from "./signing-keys.ts";
import type { SingleUse } from "./single-use.ts";
import type { Tokens } from "./tokens.ts";

/** Every port of one region's state. An entry in `infra/` builds one; no domain code knows which. */
export interface Stores {
  readonly apiClients: ApiClients;
  readonly tokens: Tokens;
  readonly grants: Grants;
  readonly registeredClients: RegisteredClients;
  readonly signingKeys: SigningKeys;
  readonly singleUse: SingleUse;
  readonly directory: Directory;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly passkeys: Passkeys;
  readonly identities: Identities;
  readonly settings: Settings;
  readonly auditLog: AuditLog;
  readonly mcpSessions: McpSessions;
}
