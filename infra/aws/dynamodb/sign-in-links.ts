import { DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import type { Directory, SignInLinkRecord } from "../../../lib/stores/directory.ts";
import { conditional } from "./conditional.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { linkKey } from "./keys.ts";

/** One-time sign-in links in the records table. Deleting the item is consuming it, so exactly one caller gets it. */
export function signInLinks(database: Database): Pick<Directory, "createSignInLink" | "consumeSignInLink"> {
  const TableName = database.tables.records;
  return {
    async createSignInLink(link) {
      const Item = toItem(linkKey(link.secretHash), link, link.expiresAt);
      await database.client.send(new PutItemCommand({ TableName, Item }));
    },
    async consumeSignInLink(secretHash, now) {
      const result = await conditional(database, () =>
        database.client.send(
          new DeleteItemCommand({
            TableName,
            Key: keyAttributes(linkKey(secretHash)),
            ConditionExpression: "expiresAt > :now",
            ExpressionAttributeValues: { ":now": { N: String(now) } },
            ReturnValues: "ALL_OLD",
          }),
        ),
      );
      const item = result.met ? result.output.Attributes : undefined;
      return item && fromItem<SignInLinkRecord>(item);
    },
  };
}
