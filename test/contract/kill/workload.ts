import { setImmediate } from "node:timers/promises";
import type { ApiClientRecord } from "../../../lib/stores/api-clients.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import {
  apiClient,
  auditEvent,
  keyPair,
  MINUTE,
  mcpSession,
  mcpSessionEvent,
  tokenIssue,
  upstreamSession,
} from "../records.ts";
import { credentials } from "./credential-workload.ts";
import { signIns } from "./grant-workload.ts";
import { journaled } from "./journal.ts";
import { manageMembers } from "./member-workload.ts";
import { writeLine } from "./output.ts";

/** The same by a process that is to be killed: it says each call and each result in a line of its output. */
export function writeUntilKilled(stores: Stores): Promise<void> {
  // At once, so that each call is known before it can have happened.
  return writeForEver(journaled(stores, (line) => writeLine(JSON.stringify(line))));
}

/** Writes to every port, several operations at a time, until one fails because the store or this process is gone. */
export async function writeForEver(stores: Stores): Promise<void> {
  const client = await createdClient(stores);
  const loops = [
    () => issue(stores, client),
    () => issue(stores, client),
    () => endKeyAndClient(stores),
    () => revokeTokens(stores),
    () => consume(stores),
    () => signIn(stores),
    () => record(stores),
    () => beAgent(stores),
    () => manageMembers(stores),
    ...signIns.map((signIn) => () => signIn(stores)),
    ...credentials.map((credential) => () => credential(stores)),
  ];
  await Promise.all(loops.map(again));
}

async function again(work: () => Promise<unknown>): Promise<never> {
  for (;;) {
    await work();
    await setImmediate();
  }
}

function issue({ tokens }: Stores, client: ApiClientRecord): Promise<unknown> {
  return tokens.issue(tokenIssue(client, { assertionId: crypto.randomUUID() }));
}

async function endKeyAndClient(stores: Stores): Promise<void> {
  const { apiClients } = stores;
  const client = await createdClient(stores);
  const { organizationId } = client;
  const event = (type: "key_pair.added" | "key_pair.revoked" | "api_client.deleted") =>
    auditEvent({ type, organizationId });
  await apiClients.addKeyPair(client, keyPair(), event("key_pair.added"));
  await apiClients.revokeKeyPair(client, client.keyPairs[0]?.keyPairId ?? "", Date.now(), event("key_pair.revoked"));
  const other = await createdClient(stores);
  await apiClients.delete(
    other,
    { revokeTokens: true },
    auditEvent({ type: "api_client.deleted", ...organizationOf(other) }),
  );
}

async function revokeTokens(stores: Stores): Promise<void> {
  const client = await createdClient(stores);
  const request = tokenIssue(client);
  await stores.tokens.issue(request);
  const event = auditEvent({ type: "token.revoked", ...organizationOf(client) });
  await stores.tokens.revoke(request.reference, Date.now(), event);
}

function consume({ singleUse }: Stores): Promise<unknown> {
  return singleUse.consume("test", crypto.randomUUID(), Date.now() + 60 * MINUTE);
}

async function signIn({ directory }: Stores): Promise<void> {
  const [used, kept] = [newLink(), newLink()];
  await Promise.all([used, kept].map((link) => directory.createSignInLink(link, linkEvent(link.userId))));
  await directory.consumeSignInLink(used.secretHash, Date.now());
  const now = Date.now();
  const session = { ...newLink(), sessionHash: crypto.randomUUID(), createdAt: now, lastSeenAt: now };
  const { sessionHash, userId, expiresAt, createdAt, lastSeenAt } = session;
  await directory.createBrowserSession({ sessionHash, userId, expiresAt, createdAt, lastSeenAt });
  await directory.touchBrowserSession(sessionHash, now + MINUTE);
}

async function record({ auditLog }: Stores): Promise<void> {
  const call = auditEvent({ type: "tool.invoked", organizationId: `org_${crypto.randomUUID()}` });
  await auditLog.begin(call);
  await auditLog.complete(call, { outcome: "tool_error", reason: "the upstream answered 404", durationMs: 7 });
  await auditLog.append(auditEvent({ organizationId: `org_${crypto.randomUUID()}` }));
}

/** Two sessions: one is used and kept, the other one ended. */
async function beAgent({ mcpSessions }: Stores): Promise<void> {
  const [ended, kept] = [mcpSession(), mcpSession()];
  for (const session of [ended, kept]) await mcpSessions.create(session, mcpSessionEvent(session, "session.started"));
  await mcpSessions.use(kept, kept.startedAt + 5 * MINUTE);
  await mcpSessions.setLogLevel(kept, "warning", kept.startedAt + 5 * MINUTE);
  await mcpSessions.setUpstream(kept, "library", upstreamSession(), undefined, kept.startedAt + 5 * MINUTE);
  await mcpSessions.end(ended.sessionHash, ended.startedAt, mcpSessionEvent(ended, "session.terminated"));
}

async function createdClient({ apiClients }: Stores): Promise<ApiClientRecord> {
  const client = apiClient({ keyPairs: [keyPair(), keyPair()] });
  await apiClients.create(client, auditEvent({ type: "api_client.created", ...organizationOf(client) }));
  return client;
}

function organizationOf({ organizationId }: ApiClientRecord): Pick<ApiClientRecord, "organizationId"> {
  return { organizationId };
}

/** Of an organization of its own, as everything here is: each record is found by itself. */
function newLink() {
  return {
    secretHash: crypto.randomUUID(),
    userId: `user_${crypto.randomUUID()}`,
    expiresAt: Date.now() + 60 * MINUTE,
  };
}

function linkEvent(user: string) {
  return auditEvent({ type: "sign_in_link.created", organizationId: `org_${crypto.randomUUID()}`, user });
}
