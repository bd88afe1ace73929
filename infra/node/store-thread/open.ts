import type { Clock } from "../../../lib/clock.ts";
import { hasOwner } from "../../../lib/stores/sql/directory.ts";
import { readingFirst } from "../../../lib/stores/sql/mcp-sessions-port.ts";
import { schemasAhead } from "../../../lib/stores/sql/schemas-ahead.ts";
import { allMigrations, sqlStores } from "../../../lib/stores/sql/stores.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import { tellingUnavailable } from "../../../lib/stores/unavailable.ts";
import { isBusy } from "../sqlite/busy.ts";
import type { EmbeddedStore } from "../sqlite/embedded-store.ts";
import { openSqlite } from "../sqlite/open.ts";
import { startThread, type ThreadCalls } from "./calls.ts";
import { remote } from "./remote.ts";
import { withVerificationCache } from "./verification-cache.ts";

/**
 * Opens the store of a server. Writes are committed in a thread of their own, so that no request waits while another's is
 * flushed to disk; reads stay in the caller's, on a connection that sees every commit that was acknowledged.
 */
export function openStoreThread(folder: string, clock: Clock): EmbeddedStore {
  const reader = openSqlite(folder);
  const thread = startThread({ folder });
  return {
    stores: withCache(writingThrough(thread, tellingUnavailable(sqlStores(reader, clock), isBusy)), clock),
    cleaning: remote(thread, "cleaning", ["clean"]),
    hasOwner: () => reader.read(hasOwner),
    schemasAhead: () => reader.read((db) => schemasAhead(db, allMigrations)),
    close: async () => {
      await thread.close();
      reader.close();
    },
  };
}

function withCache(stores: Stores, clock: Clock): Stores {
  return { ...stores, apiClients: withVerificationCache(stores.apiClients, clock) };
}

/** Reads as they are; everything else through the thread. */
function writingThrough(thread: ThreadCalls, stores: Stores): Stores {
  const {
    apiClients,
    tokens,
    grants,
    registeredClients,
    signingKeys,
    directory,
    members,
    invitations,
    passkeys,
    identities,
    settings,
    auditLog,
    mcpSessions,
  } = stores;
  return {
    apiClients: {
      ...apiClients,
      ...remote(thread, "apiClients", ["create", "update", "delete", "addKeyPair", "revokeKeyPair", "recordUse"]),
    },
    tokens: { ...tokens, ...remote(thread, "tokens", ["issue", "acceptAssertion", "revoke", "exchange", "end"]) },
    grants: {
      ...grants,
      ...remote(thread, "grants", [
        "begin",
        "advance",
        "finish",
        "giveConsent",
        "revokeConsent",
        "start",
        "redeem",
        "rotate",
      ]),
    },
    registeredClients: { ...registeredClients, ...remote(thread, "registeredClients", ["create"]) },
    signingKeys: { ...signingKeys, ...remote(thread, "signingKeys", ["replace"]) },
    singleUse: remote(thread, "singleUse", ["consume"]),
    directory: {
      ...directory,
      ...remote(thread, "directory", [
        "createFirstOrganization",
        "createFirstOwner",
        "createSignInLink",
        "consumeSignInLink",
        "createBrowserSession",
        "touchBrowserSession",
        "deleteBrowserSession",
      ]),
    },
    members: {
      ...members,
      ...remote(thread, "members", ["createOrganization", "renameOrganization", "changeRole", "removeMember"]),
    },
    invitations: {
      ...invitations,
      ...remote(thread, "invitations", ["createInvitation", "revokeInvitation", "acceptInvitation"]),
    },
    passkeys: { ...passkeys, ...remote(thread, "passkeys", ["addPasskey", "notePasskeyUse", "removePasskey"]) },
    identities: { ...identities, ...remote(thread, "identities", ["linkIdentity", "unlinkIdentity"]) },
    settings: { ...settings, ...remote(thread, "settings", ["replaceSettings"]) },
    auditLog: { ...auditLog, ...remote(thread, "auditLog", ["begin", "complete", "append"]) },
    mcpSessions: {
      ...mcpSessions,
      ...remote(thread, "mcpSessions", ["create", "setLogLevel", "introduce", "setUpstream", "end"]),
      use: readingFirst(mcpSessions.get, remote(thread, "mcpSessions", ["use"]).use),
    },
  };
}
