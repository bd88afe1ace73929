import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type {
  BrowserSessionRecord,
  ClaimsRenewals,
  ConnectorSignIn,
  Directory,
  RenewedSignIns,
} from "../../../lib/stores/directory.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { browserSessionKey, browserSessionListKey, browserSessionListPartition } from "./keys.ts";
import { readItems, readRange, readRecord } from "./reads.ts";
import { conditional } from "./writes.ts";

/** Sign-ins are kept as the text they are: JSON has nulls, numbers and depths that attributes have not. */
type ItemOfSession = Omit<BrowserSessionRecord, TextMember> & { readonly [Member in TextMember]?: string };
type TextMember = "signIn" | "further" | "renewals";

type BrowserSessions = Pick<
  Directory,
  | "createBrowserSession"
  | "getBrowserSession"
  | "touchBrowserSession"
  | "renewSignIns"
  | "deleteBrowserSession"
  | "browserSessions"
>;

/** What one list shows, and what it reads at a time. */
const LIMIT = 100;

/**
 * People's browser sessions in the sessions table, each found by its hash and through the list of its person. The listing
 * is there before the session and goes after it; one that is left over names nothing.
 */
export function browserSessions(database: Database): BrowserSessions {
  const TableName = database.tables.sessions;
  return {
    async createBrowserSession(session) {
      const { sessionHash, userId, createdAt, expiresAt } = session;
      const listing = toItem(browserSessionListKey(userId, createdAt, sessionHash), { sessionHash }, expiresAt);
      await database.client.send(new PutItemCommand({ TableName, Item: listing }));
      const Item = toItem(browserSessionKey(sessionHash), itemOf(session), expiresAt);
      await database.client.send(new PutItemCommand({ TableName, Item }));
    },
    async getBrowserSession(sessionHash) {
      const item = await readRecord<ItemOfSession>(database, "sessions", browserSessionKey(sessionHash));
      return item && recordOf(item);
    },
    /** Never brings back a session that is gone, and never moves the time back: requests of one session overtake. */
    async touchBrowserSession(sessionHash, lastSeenAt) {
      await conditional(database, () =>
        database.client.send(
          new UpdateItemCommand({
            TableName,
            Key: keyAttributes(browserSessionKey(sessionHash)),
            UpdateExpression: "SET lastSeenAt = :at",
            ConditionExpression: "lastSeenAt < :at",
            ExpressionAttributeValues: { ":at": { N: String(lastSeenAt) } },
          }),
        ),
      );
    },
    renewSignIns: (sessionHash, revision, renewed) => renewSignIns(database, sessionHash, revision, renewed),
    deleteBrowserSession: (sessionHash) => deleteBrowserSession(database, sessionHash),
    browserSessions: (userId, now) => listBrowserSessions(database, userId, now),
  };
}

/** A session that was never renewed has no revision. */
async function renewSignIns(
  database: Database,
  sessionHash: string,
  revision: number,
  { renewals, signIns }: RenewedSignIns,
): Promise<boolean> {
  const [signIn, ...further] = signIns ?? [];
  const isAt = revision === 0 ? "attribute_exists(pk) AND attribute_not_exists(revision)" : "revision = :revision";
  const set = ["renewals = :renewals", "revision = :next"];
  if (signIn !== undefined) set.push("signIn = :signIn");
  if (further.length > 0) set.push("further = :further");
  const result = await conditional(database, () =>
    database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.sessions,
        Key: keyAttributes(browserSessionKey(sessionHash)),
        UpdateExpression: `SET ${set.join(", ")}${signIn !== undefined && further.length === 0 ? " REMOVE further" : ""}`,
        ConditionExpression: isAt,
        ExpressionAttributeValues: {
          ":renewals": { S: JSON.stringify(renewals) },
          ":next": { N: String(revision + 1) },
          ...(revision > 0 && { ":revision": { N: String(revision) } }),
          ...(signIn !== undefined && { ":signIn": { S: JSON.stringify(signIn) } }),
          ...(further.length > 0 && { ":further": { S: JSON.stringify(further) } }),
        },
      }),
    ),
  );
  return result.met;
}

export async function deleteBrowserSession({ client, tables }: Database, sessionHash: string): Promise<void> {
  const TableName = tables.sessions;
  const Key = keyAttributes(browserSessionKey(sessionHash));
  const { Attributes } = await client.send(new DeleteItemCommand({ TableName, Key, ReturnValues: "ALL_OLD" }));
  if (Attributes === undefined) return;
  const { userId, createdAt } = fromItem<ItemOfSession>(Attributes);
  const listingKey = keyAttributes(browserSessionListKey(userId, createdAt, sessionHash));
  await client.send(new DeleteItemCommand({ TableName, Key: listingKey }));
}

/** Newest first. Reads listings and then the sessions that they name. */
async function listBrowserSessions(
  database: Database,
  userId: string,
  now: number,
): Promise<readonly BrowserSessionRecord[]> {
  const partition = browserSessionListPartition(userId);
  const found: BrowserSessionRecord[] = [];
  let listed: string[] = [];
  const look = async (): Promise<void> => {
    const items = (await readItems(database, "sessions", listed.map(browserSessionKey))).map(fromItem<ItemOfSession>);
    const byHash = new Map(items.map((item) => [item.sessionHash, item]));
    const sessions = listed.flatMap((hash) => byHash.get(hash) ?? []).filter(({ expiresAt }) => expiresAt > now);
    found.push(...sessions.map(recordOf));
    listed = [];
  };
  const range = { table: "sessions", partition, direction: "descending", pageSize: LIMIT } as const;
  for await (const item of readRange(database, range)) {
    listed.push(fromItem<{ sessionHash: string }>(item).sessionHash);
    if (listed.length === LIMIT) await look();
    if (found.length >= LIMIT) break;
  }
  await look();
  return found.slice(0, LIMIT);
}

function itemOf({ signIn, further, renewals, ...session }: BrowserSessionRecord): ItemOfSession {
  return {
    ...session,
    ...(renewals !== undefined && { renewals: JSON.stringify(renewals) }),
    ...(signIn !== undefined && { signIn: JSON.stringify(signIn) }),
    ...(further !== undefined && { further: JSON.stringify(further) }),
  };
}

function recordOf({ signIn, further, renewals, ...session }: ItemOfSession): BrowserSessionRecord {
  return {
    ...session,
    ...(renewals !== undefined && { renewals: JSON.parse(renewals) as ClaimsRenewals }),
    ...(signIn !== undefined && { signIn: JSON.parse(signIn) as ConnectorSignIn }),
    ...(further !== undefined && { further: JSON.parse(further) as readonly ConnectorSignIn[] }),
  };
}
