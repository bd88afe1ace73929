import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type { BrowserSessionRecord, ConnectorSignIn, Directory } from "../../../lib/stores/directory.ts";
import { conditional } from "./conditional.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { browserSessionKey } from "./keys.ts";
import { readRecord } from "./reads.ts";

/** The sign-in is kept as the text it is: JSON has nulls, numbers and depths that attributes have not. */
type ItemOfSession = Omit<BrowserSessionRecord, "signIn"> & { readonly signIn?: string };

type BrowserSessions = Pick<
  Directory,
  "createBrowserSession" | "getBrowserSession" | "touchBrowserSession" | "deleteBrowserSession"
>;

/** People's browser sessions in the sessions table. */
export function browserSessions(database: Database): BrowserSessions {
  const TableName = database.tables.sessions;
  return {
    async createBrowserSession(session) {
      const Item = toItem(browserSessionKey(session.sessionHash), itemOf(session), session.expiresAt);
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
    async deleteBrowserSession(sessionHash) {
      const Key = keyAttributes(browserSessionKey(sessionHash));
      await database.client.send(new DeleteItemCommand({ TableName, Key }));
    },
  };
}

function itemOf({ signIn, ...session }: BrowserSessionRecord): ItemOfSession {
  return { ...session, ...(signIn !== undefined && { signIn: JSON.stringify(signIn) }) };
}

function recordOf({ signIn, ...session }: ItemOfSession): BrowserSessionRecord {
  return { ...session, ...(signIn !== undefined && { signIn: JSON.parse(signIn) as ConnectorSignIn }) };
}
