import { waitUntil } from "cloudflare:workers";
import { causeOf } from "../../lib/logging/cause.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { sessionExpiresAt } from "../../lib/stores/mcp-session-expiry.ts";
import { withoutUpstreams } from "../../lib/stores/mcp-session-upstreams.ts";
import type { McpSessionRecord, McpSessions } from "../../lib/stores/mcp-sessions.ts";
import { type Page, type PageRequest, pageOf } from "../../lib/stores/paging.ts";
import { sessionCursor } from "../../lib/stores/sql/mcp-sessions.ts";
import type { ListedSession } from "../../lib/stores/sql/outbox.ts";
import type { StateBindings } from "./env.ts";
import { mcpSessionOf, registryOf } from "./objects.ts";

/** Sessions that a list asks at a time. */
const AT_A_TIME = 25;
/** Sessions that one list asks at most; a page that ends there may be short and still have a next one. */
const ASKED = 100;

/** A session that is created or ended twice is answered differently the second time. */
export function cloudflareMcpSessions(env: StateBindings, logger: Pick<Logger, "error">): McpSessions {
  const session = (hash: string) => mcpSessionOf(env, hash);
  return {
    create: async (record, event) => session(record.sessionHash).create(record, event),
    use: (reference, now) => session(reference.sessionHash).use(reference, now),
    setLogLevel: (reference, level, now) => session(reference.sessionHash).setLogLevel(reference, level, now),
    introduce: (reference, introduction, now) => session(reference.sessionHash).introduce(reference, introduction, now),
    setUpstream: (reference, app, upstream, replaces, now) =>
      session(reference.sessionHash).setUpstream(reference, { app, upstream, replaces }, now),
    get: (hash, now) => session(hash).get(hash, now),
    end: async (hash, now, event) => session(hash).end(hash, now, event),
    list: (organizationId, now, page) => list(env, logger, { organizationId, now, page }),
  };
}

interface Query {
  readonly organizationId: string;
  readonly now: number;
  readonly page: PageRequest;
}

/** The index tells which sessions there may be; each tells whether it is live. */
async function list(
  env: StateBindings,
  logger: Pick<Logger, "error">,
  { organizationId, now, page }: Query,
): Promise<Page<McpSessionRecord>> {
  const found: McpSessionRecord[] = [];
  let { cursor } = page;
  for (let asked = 0; asked < ASKED && found.length <= page.limit; asked += AT_A_TIME) {
    const request = { limit: AT_A_TIME, ...(cursor !== undefined && { cursor }) };
    const listed = await registryOf(env).listedSessions(organizationId, request);
    found.push(...(await live(env, logger, listed.items, now)));
    cursor = listed.nextCursor;
    if (cursor === undefined) return pageOf(found, page.limit, sessionCursor);
  }
  const items = pageOf(found, page.limit, sessionCursor);
  return items.nextCursor === undefined && cursor !== undefined ? { ...items, nextCursor: cursor } : items;
}

async function live(
  env: StateBindings,
  logger: Pick<Logger, "error">,
  listed: readonly ListedSession[],
  now: number,
): Promise<readonly McpSessionRecord[]> {
  // Asked as of the beginning of time, an object also tells a session that has expired and is not recorded as such yet.
  const stored = await Promise.all(listed.map(({ sessionHash }) => mcpSessionOf(env, sessionHash).get(sessionHash, 0)));
  forget(
    env,
    logger,
    listed.filter((_, position) => stored[position] === undefined),
  );
  return stored
    .filter((session) => session !== undefined)
    .filter((session) => sessionExpiresAt(session) > now)
    .map(withoutUpstreams);
}

/** Sessions are listed after they were created: one that is not there any more never comes back. */
function forget(env: StateBindings, logger: Pick<Logger, "error">, sessions: readonly ListedSession[]): void {
  if (sessions.length === 0) return;
  const logFailure = (cause: unknown) =>
    logger.error("sessions that are over could not be taken off the list", { cause: causeOf(cause) });
  waitUntil(registryOf(env).unlistSessions(sessions).catch(logFailure));
}
