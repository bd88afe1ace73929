import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type { BrowserSessionRecord, Directory } from "../../../lib/stores/directory.ts";
import { conditional } from "./conditional.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { browserSessionKey } from "./keys.ts";
import { readRecord } from "./reads.ts";

type BrowserSessions = Pick<
  Directory,
  "createBrowserSession" | "getBrowserSession" | "touchBrowserSession" | "deleteBrowserSession"
>;

/** People's browser sessions in the sessions table. */
export function browserSessions(database: Database): BrowserSessions {
  const TableName = database.tables.sessions;
  return {
    async createBrowserSession(session) {
      const Item = toItem(browserSessionKey(session.sessionHash), session, session.expiresAt);
      await database.client.send(new PutItemCommand({ TableName, Item }));
    },
    getBrowserSession: (hash) => readRecord<BrowserSessionRecord>(database, "sessions", browserSessionKey(hash)),
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
    async deleteBrowserSession(sessionHash) {
      const Key = keyAttributes(browserSessionKey(sessionHash));
      await database.client.send(new DeleteItemCommand({ TableName, Key }));
    },
  };
}
