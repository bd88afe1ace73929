import { API_CLIENTS } from "./api-clients.ts";
import { APPROVALS } from "./approvals.ts";
import { AUDIT_LOG } from "./audit-log.ts";
import { CONNECTIONS } from "./connections.ts";
import { DEPLOYMENTS } from "./deployments.ts";
import { DIRECTORY } from "./directory.ts";
import { GRANTS } from "./grants.ts";
import { IDENTITIES } from "./identities.ts";
import { INVITATIONS } from "./invitations.ts";
import { LIMITS } from "./limits.ts";
import { MCP_SESSIONS } from "./mcp-sessions.ts";
import { MEMBERS } from "./members.ts";
import type { Operations, Port } from "./operations.ts";
import { PASSKEYS } from "./passkeys.ts";
import { PINS } from "./pins.ts";
import { REGISTERED_CLIENTS } from "./registered-clients.ts";
import { SETTINGS } from "./settings.ts";
import { SIGNING_KEYS } from "./signing-keys.ts";
import { SINGLE_USE } from "./single-use.ts";
import { STOPS } from "./stops.ts";
import { TOKENS } from "./tokens.ts";

/**
 * People and organizations. They are kept together where the state is spread over several databases, so that no two of these
 * operations have the same name.
 */
export const PEOPLE_STORES = {
  directory: DIRECTORY,
  members: MEMBERS,
  invitations: INVITATIONS,
  passkeys: PASSKEYS,
  identities: IDENTITIES,
};

/** What can be done with one region's state. */
export const STORES = {
  ...PEOPLE_STORES,
  apiClients: API_CLIENTS,
  tokens: TOKENS,
  grants: GRANTS,
  registeredClients: REGISTERED_CLIENTS,
  signingKeys: SIGNING_KEYS,
  singleUse: SINGLE_USE,
  settings: SETTINGS,
  stops: STOPS,
  pins: PINS,
  limits: LIMITS,
  auditLog: AUDIT_LOG,
  mcpSessions: MCP_SESSIONS,
  connections: CONNECTIONS,
  approvals: APPROVALS,
  deployments: DEPLOYMENTS,
};

/** Every port of one region's state. An entry in `infra/` builds one; no domain code knows which. */
export type Stores = { readonly [Name in StoreName]: Port<(typeof STORES)[Name]> };

export type StoreName = keyof typeof STORES;

/** The same for each port. */
export function eachStore(port: (name: StoreName, table: Operations) => object): Stores {
  const ports = Object.entries(STORES).map(([name, table]) => [name, port(name as StoreName, table)]);
  return Object.fromEntries(ports) as Stores;
}
