import { DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import {
  type BundlePiece,
  type DeploymentRecord,
  type Deployments,
  type InstanceRecord,
  MOST_INSTANCES,
  NO_DEPLOYMENT,
} from "../../../lib/stores/deployments.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { bundlePieceKey, deploymentKey, instanceKey, instancesPartition } from "./keys.ts";
import { readRange, readRecord } from "./reads.ts";
import { transact } from "./writes.ts";

/** The publications of a record are kept as the text they are. */
interface ItemOfDeployment extends Omit<DeploymentRecord, "published"> {
  readonly published: string;
}

/** What was published, in the records table: one item, and one for each piece of a bundle, in partitions of their own. */
export function dynamoDeployments(database: Database, audit: AuditWriter): Deployments {
  const TableName = database.tables.records;
  return {
    async readDeployment() {
      const item = await readRecord<ItemOfDeployment>(database, "records", deploymentKey);
      if (item === undefined) return NO_DEPLOYMENT;
      return { ...item, published: JSON.parse(item.published) as DeploymentRecord["published"] };
    },
    replaceDeployment: (record, events) => replaceDeployment(database, audit, record, events),
    async keepPiece(piece) {
      const Item = toItem(bundlePieceKey(piece.bundle, piece.number), piece);
      await database.client.send(new PutItemCommand({ TableName, Item }));
    },
    piece: (bundle, number) => readRecord<BundlePiece>(database, "records", bundlePieceKey(bundle, number)),
    async dropPieces(bundle, count) {
      const dropped = Array.from({ length: count }, (_, number) => {
        const Key = keyAttributes(bundlePieceKey(bundle, number));
        return database.client.send(new DeleteItemCommand({ TableName, Key }));
      });
      await Promise.all(dropped);
    },
    async tellInstance(instance) {
      const Item = toItem(instanceKey(instance.id), instance, instance.expiresAt);
      await database.client.send(new PutItemCommand({ TableName, Item }));
    },
    instances: (now) => instances(database, now),
  };
}

/** Functions come and go with the load, and stay for days after they expired: of very many, those of the first pages count. */
const MOST_READ = 20_000;
const MOST_LIVE = 2_000;

async function instances(database: Database, now: number): Promise<readonly InstanceRecord[]> {
  const request = { table: "records", partition: instancesPartition, direction: "ascending", pageSize: 500 } as const;
  const found: InstanceRecord[] = [];
  let read = 0;
  for await (const item of readRange(database, request)) {
    const instance = fromItem<InstanceRecord>(item);
    if (instance.expiresAt > now) found.push(instance);
    read += 1;
    if (read >= MOST_READ || found.length >= MOST_LIVE) break;
  }
  return found.toSorted((one, other) => other.seenAt - one.seenAt).slice(0, MOST_INSTANCES);
}

async function replaceDeployment(
  database: Database,
  audit: AuditWriter,
  record: DeploymentRecord,
  events: readonly AuditEvent[],
): Promise<boolean> {
  const item: ItemOfDeployment = { ...record, published: JSON.stringify(record.published) };
  const written = await Promise.all(events.map((event) => audit.write(event)));
  const failed = await transact(database, {
    deployment: {
      Put: {
        TableName: database.tables.records,
        Item: toItem(deploymentKey, item),
        ...(record.version === 1
          ? { ConditionExpression: "attribute_not_exists(pk)" }
          : {
              ConditionExpression: "version = :expected",
              ExpressionAttributeValues: { ":expected": { N: String(record.version - 1) } },
            }),
      },
    },
    ...Object.fromEntries(written.map((write, number) => [`event ${number}`, write])),
  });
  return failed.size === 0;
}
