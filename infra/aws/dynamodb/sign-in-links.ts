import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { hex } from "../../../lib/encoding.ts";
import type { Directory, SignInLinkRecord } from "../../../lib/stores/directory.ts";
import type { Item } from "./attributes.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { conditional } from "./conditional.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { linkKey, linkListKey } from "./keys.ts";
import { transact } from "./transact.ts";

/** One-time sign-in links in the records table. The first nonce in the item names the one caller who gets it. */
export function signInLinks(
  database: Database,
  audit: AuditWriter,
): Pick<Directory, "createSignInLink" | "consumeSignInLink"> {
  const TableName = database.tables.records;
  return {
    async createSignInLink(link, event) {
      await transact(database, {
        link: { Put: { TableName, Item: toItem(linkKey(link.secretHash), link, link.expiresAt) } },
        listing: { Put: { TableName, Item: toItem(linkListKey(link.userId, link.secretHash), {}, link.expiresAt) } },
        event: event && (await audit.write(event)),
      });
    },
    async consumeSignInLink(secretHash, now) {
      // When the SDK repeats a write whose answer was lost, the condition fails on our own nonce, which tells.
      const nonce = hex(database.random.bytes(16));
      const result = await conditional(database, () =>
        database.client.send(
          new UpdateItemCommand({
            TableName,
            Key: keyAttributes(linkKey(secretHash)),
            UpdateExpression: "SET nonce = :nonce",
            ConditionExpression: "expiresAt > :now AND attribute_not_exists(nonce)",
            ExpressionAttributeValues: { ":now": { N: String(now) }, ":nonce": { S: nonce } },
            ReturnValues: "ALL_NEW",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      const item = result.met ? result.output.Attributes : result.failure.Item;
      return item?.nonce?.S === nonce ? linkIn(item) : undefined;
    },
  };
}

function linkIn({ nonce, ...item }: Item): SignInLinkRecord {
  return fromItem<SignInLinkRecord>(item);
}
