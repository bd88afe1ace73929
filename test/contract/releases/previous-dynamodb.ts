import {
  type AttributeValue,
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import type { TableNames } from "../../../infra/aws/dynamodb/tables.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { BrowserSessionRecord, PersonRecord } from "../../../lib/stores/directory.ts";
import type { TokenRecord } from "../../../lib/stores/tokens.ts";
import { NAMESPACE, type PreviousClient, type PreviousRelease } from "./engine.ts";

type Item = Record<string, AttributeValue>;
type Condition = Pick<PutItemCommandInput, "ConditionExpression" | "ExpressionAttributeValues">;

const MARGIN = 5 * 60_000;
const IS_NEW: Condition = { ConditionExpression: "attribute_not_exists(pk)" };

/** The items of release 0.1.0. What it wrote in one transaction is written one after the other here. */
export function previousDynamo(client: DynamoDBClient, tables: TableNames): PreviousRelease {
  const { records, sessions, audit } = tables;
  const get = async <T>(table: string, pk: string, sk: string): Promise<T | undefined> => {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: table, Key: keyOf(pk, sk), ConsistentRead: true }),
    );
    return Item && recordOf<T>(Item);
  };
  /** False when the condition failed. */
  const put = async (table: string, item: Item, condition: Condition = {}): Promise<boolean> => {
    try {
      await client.send(new PutItemCommand({ TableName: table, Item: item, ...condition }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };
  const one = (kind: string, id: string, record: object, expiresAt?: number) =>
    itemOf(`${kind}#${id}`, kind, record, expiresAt);
  const isEnded = async (ids: readonly string[]): Promise<boolean> => {
    const Keys = ids.map((id) => keyOf(`tombstone#${id}`, "tombstone"));
    const { Responses } = await client.send(
      new BatchGetItemCommand({ RequestItems: { [records]: { Keys, ConsistentRead: true } } }),
    );
    return (Responses?.[records] ?? []).length > 0;
  };
  const addTombstone = (id: string) => put(records, one("tombstone", id, { id }));
  const readClient = (clientId: string) => get<PreviousClient>(records, `client#${clientId}`, "client");
  const changeClient = async (clientId: string, change: (found: PreviousClient) => PreviousClient): Promise<void> => {
    const found = await readClient(clientId);
    if (found === undefined) throw new Error("there is no such client");
    const next = { ...change(found), revision: found.revision + 1 };
    const unchanged = {
      ConditionExpression: "revision = :read",
      ExpressionAttributeValues: { ":read": { N: String(found.revision) } },
    };
    await put(records, one("client", clientId, next), unchanged);
  };

  return {
    async createClient(record) {
      const { organizationId, clientId, createdAt } = record;
      await put(records, one("client", clientId, record), IS_NEW);
      await put(records, itemOf(`clients#${organizationId}`, listKey(createdAt, clientId), { clientId }));
    },
    client: readClient,
    rename: (clientId, name) => changeClient(clientId, (found) => ({ ...found, name })),
    async revokeKeyPair(clientId, keyPairId) {
      await changeClient(clientId, (found) => ({
        ...found,
        keyPairs: found.keyPairs.map((pair) =>
          pair.keyPairId === keyPairId ? { ...pair, status: "revoked", revokedAt: 1 } : pair,
        ),
      }));
      await addTombstone(`key/${keyPairId}`);
    },
    async deleteClient(clientId) {
      const found = await readClient(clientId);
      if (found === undefined) throw new Error("there is no such client");
      for (const key of [
        keyOf(`client#${clientId}`, "client"),
        keyOf(`clients#${found.organizationId}`, listKey(found.createdAt, clientId)),
      ]) {
        await client.send(new DeleteItemCommand({ TableName: records, Key: key }));
      }
      await addTombstone(`client/${clientId}`);
    },
    async issue({ reference, token, assertionId }) {
      if (await isEnded([`client/${token.clientId}`, `key/${token.keyPairId}`])) return false;
      if (assertionId !== undefined) {
        const { hash, expiresAt } = assertionId;
        const item = one("assertion", hash, { expiresAt }, expiresAt);
        if (!(await put(records, item, unlessUsed(token.issuedAt)))) return false;
      }
      return put(records, one("token", reference.hash, token, token.expiresAt), IS_NEW);
    },
    async introspect({ hash }, now) {
      const token = await get<TokenRecord>(records, `token#${hash}`, "token");
      if (token === undefined || token.expiresAt <= now) return undefined;
      const ids = [`token/${token.tokenId}`, `chain/${token.chainId}`, `client-tokens/${token.clientId}`];
      return (await isEnded(ids)) ? undefined : token;
    },
    consume: (key, expiresAt) =>
      put(
        records,
        one("single-use", `${NAMESPACE}#${key}`, { expiresAt, nonce: crypto.randomUUID() }, expiresAt),
        unlessUsed(Date.now()),
      ),
    async createOwner({ organization, person }) {
      const { organizationId } = organization;
      const { userId, email, createdAt } = person;
      await put(records, itemOf("instance", "first-owner", { organizationId, userId }), IS_NEW);
      await put(records, itemOf("instance", "first-organization", { organizationId }), IS_NEW);
      await put(records, one("organization", organizationId, organization));
      await put(records, one("person", userId, person), IS_NEW);
      await put(records, one("email", email, { userId }), IS_NEW);
      const membership = { organizationId, userId, role: "owner", createdAt };
      await put(records, itemOf(`memberships#${userId}`, organizationId, membership), IS_NEW);
    },
    person: (userId) => get<PersonRecord>(records, `person#${userId}`, "person"),
    async createLink(link) {
      await put(records, one("link", link.secretHash, link, link.expiresAt));
    },
    async consumeLink(secretHash, now) {
      try {
        await client.send(
          new UpdateItemCommand({
            TableName: records,
            Key: keyOf(`link#${secretHash}`, "link"),
            UpdateExpression: "SET nonce = :nonce",
            ConditionExpression: "expiresAt > :now AND attribute_not_exists(nonce)",
            ExpressionAttributeValues: { ":now": { N: String(now) }, ":nonce": { S: crypto.randomUUID() } },
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
    async createSession(session) {
      await put(sessions, one("browser", session.sessionHash, session, session.expiresAt));
    },
    session: (sessionHash) => get<BrowserSessionRecord>(sessions, `browser#${sessionHash}`, "browser"),
    async begin(event) {
      await put(audit, itemOf(`${event.organizationId}#days`, dayOf(event), {}));
      await put(audit, itemOf(partitionOf(event), event.id, { ...event, outcome: "unknown", open: true }), IS_NEW);
    },
    event: (event) => get<AuditEvent>(audit, partitionOf(event), event.id),
  };
}

/** By the caller's clock. */
function unlessUsed(now: number): Condition {
  return {
    ConditionExpression: "attribute_not_exists(pk) OR expiresAt <= :forgotten",
    ExpressionAttributeValues: { ":forgotten": { N: String(now - MARGIN) } },
  };
}

function listKey(createdAt: number, clientId: string): string {
  return `${String(createdAt).padStart(16, "0")}#${clientId}`;
}

function dayOf({ time }: AuditEvent): string {
  return new Date(time).toISOString().slice(0, 10);
}

function partitionOf(event: AuditEvent): string {
  return `${event.organizationId}#${dayOf(event)}#${(event.id.codePointAt(event.id.length - 1) ?? 0) % 4}`;
}

function keyOf(pk: string, sk: string): Item {
  return { pk: { S: pk }, sk: { S: sk } };
}

function itemOf(pk: string, sk: string, record: object, expiresAt?: number): Item {
  return {
    ...attributesOf(record),
    ...keyOf(pk, sk),
    v: { N: "1" },
    ...(expiresAt !== undefined && { ttl: { N: String(Math.ceil(expiresAt / 1000) + 3600) } }),
  };
}

/** Every attribute that it did not know stays in the record, and goes back with the next write of it. */
function recordOf<T>({ pk: _pk, sk: _sk, v: _v, ttl: _ttl, ...attributes }: Item): T {
  return valueIn({ M: attributes }) as T;
}

function attributesOf(record: object): Item {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, attributeOf(value)]));
}

function attributeOf(value: unknown): AttributeValue {
  if (typeof value === "string") return { S: value };
  if (typeof value === "number") return { N: String(value) };
  if (typeof value === "boolean") return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(attributeOf) };
  return { M: attributesOf(value as object) };
}

function valueIn({ S, N, BOOL, L, M }: AttributeValue): unknown {
  if (M !== undefined) return Object.fromEntries(Object.entries(M).map(([name, value]) => [name, valueIn(value)]));
  return S ?? (N === undefined ? (BOOL ?? L?.map(valueIn)) : Number(N));
}
