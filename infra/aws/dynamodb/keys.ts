import { sha256base64url } from "#sha256";
import { approvalPlace } from "../../../lib/stores/approvals.ts";
import type { ConnectionKey } from "../../../lib/stores/connections.ts";
import type { IdentityKey } from "../../../lib/stores/identities.ts";
import type { PinsKey } from "../../../lib/stores/pins.ts";

/** Partition and sort key of an item. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

export const clientKey = (clientId: string): ItemKey => single("client", clientId);
/** When the key pairs of a client were last used. */
export const clientUsesKey = (clientId: string): ItemKey => single("client-uses", clientId);
export const tokenKey = (hash: string): ItemKey => single("token", hash);
export const assertionKey = (hash: string): ItemKey => single("assertion", hash);
export const linkKey = (secretHash: string): ItemKey => single("link", secretHash);
/** A person's sign-in links are one partition, too. */
export const linkListPartition = (userId: string): string => `links#${userId}`;
export const linkListKey = (userId: string, secretHash: string): ItemKey => ({
  pk: linkListPartition(userId),
  sk: secretHash,
});
export const browserSessionKey = (sessionHash: string): ItemKey => single("browser", sessionHash);
export const mcpSessionKey = (sessionHash: string): ItemKey => single("mcp-session", sessionHash);
export const organizationKey = (organizationId: string): ItemKey => single("organization", organizationId);
export const personKey = (userId: string): ItemKey => single("person", userId);
/** Found by who holds its secret. */
export const invitationKey = (secretHash: string): ItemKey => single("invitation", secretHash);
/** Reserves an e-mail address for one person. */
export const emailKey = (email: string): ItemKey => single("email", email);

/** A client that registered itself. */
export const registeredClientKey = (clientId: string): ItemKey => single("registered-client", clientId);
export const interactionKey = (interactionHash: string): ItemKey => single("interaction", interactionHash);
/** A chain that a person started. */
export const chainKey = (chainId: string): ItemKey => single("chain", chainId);
export const codeKey = (hash: string): ItemKey => single("code", hash);
export const refreshTokenKey = (hash: string): ItemKey => single("refresh", hash);
/** A person's consents are one partition. A client's id can be a URL, longer than a sort key may be. */
export const consentPartition = (subject: string): string => `consents#${subject}`;
export const consentKey = (subject: string, clientId: string): ItemKey => ({
  pk: consentPartition(subject),
  sk: sha256base64url(clientId),
});
/** Everybody's. */
export const consentListPartition = "consent-list";
export const consentListKey = (subject: string, clientId: string): ItemKey => ({
  pk: consentListPartition,
  sk: `${subject}#${sha256base64url(clientId)}`,
});
/** A person's passkeys are one partition, too. A credential id may be longer than a sort key. */
export const passkeyKey = (credentialId: string): ItemKey => single("passkey", credentialId);
export const passkeyListPartition = (userId: string): string => `passkeys#${userId}`;
export const passkeyListKey = (userId: string, credentialId: string): ItemKey => ({
  pk: passkeyListPartition(userId),
  sk: sha256base64url(credentialId),
});
/** An account at a connector, and those of a person in one partition. */
export const identityKey = (key: IdentityKey): ItemKey => single("identity", identityHash(key));
export const identityListPartition = (userId: string): string => `identities#${userId}`;
export const identityListKey = (userId: string, key: IdentityKey): ItemKey => ({
  pk: identityListPartition(userId),
  sk: identityHash(key),
});
/** What a person has in an organization is one partition. Apps and agents may have names longer than a sort key. */
export const connectionPartition = (organizationId: string, person: string): string =>
  `connections#${organizationId}#${person}`;
export const connectionKey = (key: ConnectionKey): ItemKey => ({
  pk: connectionPartition(key.organizationId, key.person),
  sk: connectionHash(key),
});
/** An organization's connections. */
export const connectionListPartition = (organizationId: string): string => `connection-list#${organizationId}`;
export const connectionListKey = (key: ConnectionKey): ItemKey => ({
  pk: connectionListPartition(key.organizationId),
  sk: `${key.person}#${connectionHash(key)}`,
});
/** What a vault key seals, and the names of all vault keys that ever sealed something. */
export const sealedConnectionsPartition = (keyId: string): string => `connections-sealed#${keyId}`;
export const sealedConnectionKey = (keyId: string, key: ConnectionKey): ItemKey => ({
  pk: sealedConnectionsPartition(keyId),
  sk: `${key.organizationId}#${key.person}#${connectionHash(key)}`,
});
export const vaultKeysPartition = "vault-keys";
export const vaultKeyKey = (keyId: string): ItemKey => ({ pk: vaultKeysPartition, sk: keyId });
/** Deleted connections by the time when their provider is to be told. */
export const deletedConnectionsPartition = "connections-deleted";
/** Behind all that is due then. */
export const deletedConnectionsUntil = (time: number): string => positionAt(time + 1);
export const deletedConnectionKey = (due: number, key: ConnectionKey): ItemKey => ({
  pk: deletedConnectionsPartition,
  sk: positionAt(due, `${key.organizationId}#${key.person}#${connectionHash(key)}`),
});
/** People whose connections are still to be ended. */
export const disconnectedPartition = "disconnected-people";
export const disconnectedKey = (at: number, id: string): ItemKey => ({
  pk: disconnectedPartition,
  sk: positionAt(at, id),
});
/** The region's own. */
export const signingKeysKey: ItemKey = { pk: "instance", sk: "signing-keys" };
/** What was set in the Console. */
export const settingsKey: ItemKey = { pk: "instance", sk: "settings" };
/** The count of a limit. */
export const limitKey = (key: string): ItemKey => single("limit", key);
/** There since an organization beyond the first was made, or one of a former release was found. */
export const severalOrganizationsKey: ItemKey = { pk: "instance", sk: "several-organizations" };
/** When the whole table was looked through and had one organization. */
export const organizationsCountedKey: ItemKey = { pk: "instance", sk: "organizations-counted" };
/** What is stopped, and one of several items that say the revision of it. */
export const stopsKey: ItemKey = { pk: "instance", sk: "stops" };
export const stopRevisionKey = (number: number): ItemKey => single("stops-revision", String(number));
/** What was published, and the pieces of bundles, which may be read by many at once. */
export const deploymentKey: ItemKey = { pk: "instance", sk: "deployment" };
export const bundlePieceKey = (bundle: string, number: number): ItemKey => single("bundle", `${bundle}#${number}`);
/** What instances say of themselves: a few words of each a quarter of an hour, read together. */
export const instancesPartition = "deployment-instances";
export const instanceKey = (id: string): ItemKey => ({ pk: instancesPartition, sk: id });
/** The pins of an app, and the texts that they name, are one partition. */
export const pinsKey = (key: PinsKey): ItemKey => ({ pk: pinsPartition(key), sk: "pins" });
export const toolDefinitionKey = (key: PinsKey, digest: string): ItemKey => ({
  pk: pinsPartition(key),
  sk: `definition#${digest}`,
});

/** Exists from the moment the instance has an owner. */
export const firstOwnerKey: ItemKey = { pk: "instance", sk: "first-owner" };
/** Names the instance's oldest organization. */
export const firstOrganizationKey: ItemKey = { pk: "instance", sk: "first-organization" };

/** Namespaces are ours and hold no `#`, so no two pairs share a key. */
export const singleUseKey = (namespace: string, key: string): ItemKey => single("single-use", `${namespace}#${key}`);

/** `id` as D24 names it: `client/…`, `key/…`, `client-tokens/…`, `grant/…`, `consent/…`, `chain/…`, `token/…`. */
export const tombstoneKey = (id: string): ItemKey => single("tombstone", id);

/** A person's memberships are one partition. */
export const membershipPartition = (userId: string): string => `memberships#${userId}`;
export const membershipKey = (userId: string, organizationId: string): ItemKey => ({
  pk: membershipPartition(userId),
  sk: organizationId,
});

/** An organization's members by the time at which they became one. */
export const memberListPartition = (organizationId: string): string => `members#${organizationId}`;
export const memberListKey = (organizationId: string, createdAt: number, userId: string): ItemKey => ({
  pk: memberListPartition(organizationId),
  sk: positionAt(createdAt, userId),
});

/** An organization's open invitations by creation. */
export const invitationListPartition = (organizationId: string): string => `invitations#${organizationId}`;
export const invitationListKey = (organizationId: string, createdAt: number, invitationId: string): ItemKey => ({
  pk: invitationListPartition(organizationId),
  sk: positionAt(createdAt, invitationId),
});

/** A person's browser sessions by creation. */
export const browserSessionListPartition = (userId: string): string => `browser-sessions#${userId}`;
export const browserSessionListKey = (userId: string, createdAt: number, sessionHash: string): ItemKey => ({
  pk: browserSessionListPartition(userId),
  sk: positionAt(createdAt, sessionHash),
});

/** People without any membership left, by the time at which the last one ended. */
export const forgottenPartition = "forgotten-people";
export const forgottenKey = (endedAt: number, userId: string): ItemKey => ({
  pk: forgottenPartition,
  sk: positionAt(endedAt, userId),
});

/**
 * An organization's API clients by creation. Items of the base table and not an index, because indexes cannot be read
 * consistently and the list is linearizable.
 */
export const clientListPartition = (organizationId: string): string => `clients#${organizationId}`;
export const clientListKey = (organizationId: string, createdAt: number, clientId: string): ItemKey => ({
  pk: clientListPartition(organizationId),
  sk: positionAt(createdAt, clientId),
});

/** An organization's agents' sessions by their start. */
export const mcpSessionListPartition = (organizationId: string): string => `mcp-sessions#${organizationId}`;
export const mcpSessionListKey = (organizationId: string, startedAt: number, sessionHash: string): ItemKey => ({
  pk: mcpSessionListPartition(organizationId),
  sk: positionAt(startedAt, sessionHash),
});

/** Agents' sessions by the time at which somebody has to look whether they are over, in some shard. */
export const mcpSessionDuePartition = (shard: number): string => `mcp-sessions-due#${shard}`;
export const mcpSessionDueKey = (shard: number, dueAt: number, sessionHash: string): ItemKey => ({
  pk: mcpSessionDuePartition(shard),
  sk: positionAt(dueAt, sessionHash),
});

/** Calls that people approve, those of a share of the organizations by their ids, which grow with time. */
export const approvalPartition = (organizationId: string): string => placePartition(approvalPlace(organizationId));
export const approvalKey = (place: number, approvalId: string): ItemKey => ({
  pk: placePartition(place),
  sk: approvalId,
});
/** What is live of an organization's. */
export const liveApprovalsKey = (organizationId: string): ItemKey => single("approvals-live", organizationId);
/** Approvals by the time at which somebody has to look whether they are over. */
export const approvalsDuePartition = "approvals-due";
export const approvalDueKey = (dueAt: number, approvalId: string): ItemKey => ({
  pk: approvalsDuePartition,
  sk: positionAt(dueAt, approvalId),
});

/** Days of organizations whose audit records have to be counted, in the table of sessions: from that of audit nothing is deleted. */
export const auditDaysDuePartition = "audit-days-due";
export const auditDayDueKey = (organizationId: string | undefined, day: string): ItemKey => ({
  pk: auditDaysDuePartition,
  sk: `${day}#${organizationId ?? "instance"}`,
});
/** How many audit records an organization had on a day. Records have `<organization>#<day>#<shard>`, so no two share a key. */
export const auditCountsPartition = (organizationId: string | undefined): string =>
  `${organizationId ?? "instance"}#counts`;
export const auditCountsKey = (organizationId: string | undefined, day: string): ItemKey => ({
  pk: auditCountsPartition(organizationId),
  sk: day,
});

/** A sort key of what is in order of time, milliseconds; without an id it lies before all of its time. */
export function positionAt(time: number, id = ""): string {
  return `${String(time).padStart(16, "0")}#${id}`;
}

/** Other people choose issuers and subjects, which may be longer than a key. */
function identityHash({ issuer, subject }: IdentityKey): string {
  return sha256base64url(JSON.stringify([issuer, subject]));
}

function pinsPartition({ organizationId, app }: PinsKey): string {
  return `pins#${sha256base64url(JSON.stringify([organizationId, app]))}`;
}

function connectionHash({ app, agent }: ConnectionKey): string {
  return sha256base64url(JSON.stringify([app, agent]));
}

function placePartition(place: number): string {
  return `approvals#${place}`;
}

function single(kind: string, id: string): ItemKey {
  return { pk: `${kind}#${id}`, sk: kind };
}
